"""Marginals: made-up records that fit noisy counts of single columns, by class, and of chosen columns together.

Read `method` first; then `purse` and `budget` (what is spent on what), `leaves` and `private_tree` (what is counted),
`class_tables`, `groups/` and `refining` (noisy counts, made to agree), `fitting`, `support`, `weights/` and
`records` (records that fit them).
"""

from shoal.methods.marginals.method import Marginals
from shoal.methods.marginals.records import Numbers

__all__ = ["Marginals", "Numbers"]
