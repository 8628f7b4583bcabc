"""Local recoding: classes grow by the cheapest generalizations, then exchange records.

Read `method` first; then `rounds` with `rounds_kernel` (classes that grow) and `moves_kernel` (records that are better
off elsewhere) with `shelves_kernel` (where to look), `dividing_kernel` (two classes anew) and `joins_kernel` (prices).
"""

from shoal.methods.local_recoding.method import LocalRecoding

__all__ = ["LocalRecoding"]
