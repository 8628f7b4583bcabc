"""DiffGen: generalized records with noisy counts, for classification.

Read `method` first; then `schema` (what it asks of columns), `growth` (a cut grows by private choices), `room` (how
many groups are worth having), `counts` (noise on every group), `shares` (several records of one person); of values
`values` (what is counted) and `weighting` (records that fit it); at last `outcomes` (what is published).
"""

from shoal.methods.diffgen.method import DiffGen
from shoal.methods.diffgen.options import Choices, Show, Utility

__all__ = ["Choices", "DiffGen", "Show", "Utility"]
