"""NSVDist: every record covers others like it; its sensitive value is a distribution.

Read `method` first, with its `settings`; then `feasibility` (can it be done?), `hardened` (the rigorous variant, with
the rings of `shoal.methods.parts`), `published` (Algorithms 1 and 2) with `greedy`, `space` and `entropy`, and
their kernels: `layout`, `closure_kernel`, `kernel`, `scan_kernel`; `sampling` (records drawn from distributions).
"""

from shoal.methods.nsvdist.method import NSVDist
from shoal.methods.nsvdist.settings import Measure, Output, Ties

__all__ = ["Measure", "NSVDist", "Output", "Ties"]
