"""Local recoding: classes grow by the cheapest generalizations, then exchange records.

Read `method` first; then `rounds` with `rounds_kernel` (classes that grow) and `moves_kernel` (records that are better
off elsewhere) with `shelves_kernel` (where to look), `dividing_kernel` (two classes anew) and `joins_kernel` (what they
cost); and, where prices are asked for, `prices` with `near_cells_kernel` (cells that cost little more than records do
already), `prices_kernel` (what records would pay) and `greedy_kernel` (classes in the order of that).
"""

from shoal.methods.local_recoding.method import LocalRecoding

__all__ = ["LocalRecoding"]
