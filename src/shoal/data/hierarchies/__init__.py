"""Hierarchies: how values become coarser, and all the ways to say it.

Read `hierarchy` first; then `build`, `paths` and `files` (recipes), `marks` (values that were taken from the data).
"""
