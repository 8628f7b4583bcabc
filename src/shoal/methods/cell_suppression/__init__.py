"""Cell suppression: k-anonymity by blanking single cells.

Read `method` first; then `patterns` (which cells are blanked, greedily, and how few any choice must blank), `optimal`
(the best choice for small tables).
"""

from shoal.methods.cell_suppression.method import CellSuppression

__all__ = ["CellSuppression"]
