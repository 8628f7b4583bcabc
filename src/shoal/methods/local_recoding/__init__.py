"""Local recoding: classes grow by the cheapest generalizations, then exchange records.

Read `method` first; then `rounds` with `rounds_kernel` (classes that grow) and
`moves_kernel` with `shelves_kernel` (records that are better off elsewhere).
"""

from shoal.methods.local_recoding.method import LocalRecoding

__all__ = ["LocalRecoding"]
