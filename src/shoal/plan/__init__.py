"""The release file: TOML to a plan, with one clear sentence for whatever cannot be understood."""

from shoal.plan.method import METHODS, QUALITY_MODELS, parse_quality
from shoal.plan.plan import FORMATS, DataPlan, Plan, method_table

__all__ = ["FORMATS", "METHODS", "QUALITY_MODELS", "DataPlan", "Plan", "method_table", "parse_quality"]
