"""(k, ε)-anonymity: some quasi-identifiers generalized, others with noise.

Read `method` first, with its `settings`; then `schema` (what it asks of columns), `records` (who is let through by the
k-anonymizer), `perturbing` (which noise a column gets) with `bounds` (between which values it hides), `noise` (its
scale and draws) and `columns` (what is published, and what it cost), `confidence` (who stays), `merging` (the outcome).
"""

from shoal.methods.k_epsilon.bounds import ClassBounds
from shoal.methods.k_epsilon.method import KEpsilon
from shoal.methods.k_epsilon.settings import Several

__all__ = ["ClassBounds", "KEpsilon", "Several"]
