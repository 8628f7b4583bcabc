"""NSVDist: every record covers others like it; its sensitive value is a distribution.

Read `method` first; then `feasibility` (can it be done?), `hardened` (the rigorous variant, with the rings of
`shoal.methods.parts`), `published` (Algorithms 1 and 2) with `greedy`, `space`, `entropy` and the kernels, and
`sampling` (records drawn from distributions).
"""

from shoal.methods.nsvdist.method import NSVDist

__all__ = ["NSVDist"]
