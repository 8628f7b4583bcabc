"""What NSVDist was measured against: sequential anonymization, and non-homogeneous generalization (NHAA)."""

from shoal.methods.rivals.nhaa import NHAA
from shoal.methods.rivals.sequential import Sequential

__all__ = ["NHAA", "Sequential"]
