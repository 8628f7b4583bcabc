"""What a release cost: for the owner's eyes only, and marked so on every page."""

from shoal.pages.report.page import Report

__all__ = ["Report"]
