"""(k, ε)-anonymity: some quasi-identifiers generalized, others with noise.

Read `method` first; then `records` (who is let through by the k-anonymizer), `bounds` (between which values noise
hides), `noise` (its scale and draws), `columns` (what is published, and what it cost).
"""

from shoal.methods.k_epsilon.bounds import ClassBounds
from shoal.methods.k_epsilon.method import KEpsilon, Several

__all__ = ["ClassBounds", "KEpsilon", "Several"]
