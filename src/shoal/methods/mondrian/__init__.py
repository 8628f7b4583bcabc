"""Mondrian: the table is cut in two, and each half again.

Read `method` first; then `kernel` (k-anonymity alone, compiled) with `looking` and `cuts_kernel` (where least is lost),
`judged` with `persons_kernel` (any criteria), `single` (one cut for a whole column).
"""

from shoal.methods.mondrian.method import Mondrian, Split

__all__ = ["Mondrian", "Split"]
