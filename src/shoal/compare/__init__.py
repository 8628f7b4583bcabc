"""Several releases of one table side by side: for the owner's eyes only."""

from shoal.compare.figures import Figures, about_found, baseline, default_target, figures
from shoal.compare.grid import Trial, noted, parse_grid, trials
from shoal.compare.recommending import recommended
from shoal.compare.runner import run

__all__ = [
    "Figures",
    "Trial",
    "about_found",
    "baseline",
    "default_target",
    "figures",
    "noted",
    "parse_grid",
    "recommended",
    "run",
    "trials",
]
