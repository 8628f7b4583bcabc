"""The release file: TOML to a plan, with one clear sentence for whatever cannot be understood."""

from shoal.plan.method import METHODS, parse_quality
from shoal.plan.plan import FORMATS, DataPlan, Plan, method_table
from shoal.quality.registry import QUALITY_MODELS

__all__ = ["FORMATS", "METHODS", "QUALITY_MODELS", "DataPlan", "Plan", "method_table", "parse_quality"]
