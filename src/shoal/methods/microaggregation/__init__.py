"""Microaggregation-based differential privacy: noisy centers of clusters that no record decides.

Read `method` first; then `noise` (sums and choices, with their price) and `advice` (k from public numbers). `mdav` has
clusters without noise.
"""

from shoal.cluster.orders import References
from shoal.methods.microaggregation.method import Automatic, MicroaggregationDP

__all__ = ["Automatic", "MicroaggregationDP", "References"]
