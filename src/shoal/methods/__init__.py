"""Methods: what anonymizes. One system a file, under one protocol."""

from typing import TYPE_CHECKING

from shoal.loading import when_asked_for

if TYPE_CHECKING:
    from shoal.methods.base import Covered, Method, Mode, Publishes
    from shoal.methods.cell_suppression.method import CellSuppression
    from shoal.methods.diffgen.method import DiffGen
    from shoal.methods.diffgen.options import Choices, Utility
    from shoal.methods.full_domain.ola import OLA
    from shoal.methods.full_domain.optimal_lattice import OptimalLattice
    from shoal.methods.k_epsilon.bounds import ClassBounds
    from shoal.methods.k_epsilon.method import KEpsilon
    from shoal.methods.k_epsilon.settings import Several
    from shoal.methods.local_recoding.method import LocalRecoding
    from shoal.methods.marginals.method import Marginals
    from shoal.methods.microaggregation.mdav import MDAV
    from shoal.methods.microaggregation.method import MicroaggregationDP
    from shoal.methods.mondrian.method import Mondrian
    from shoal.methods.nsvdist.method import NSVDist
    from shoal.methods.parts.publish import Publish
    from shoal.methods.perturbation.noise import Noise
    from shoal.methods.perturbation.pram import PRAM
    from shoal.methods.perturbation.rank_swapping import RankSwapping
    from shoal.methods.rivals.nhaa import NHAA
    from shoal.methods.rivals.sequential import Sequential
    from shoal.methods.safepub.method import SafePub
    from shoal.methods.top_down.pais import PAIS
    from shoal.methods.top_down.tds import TDS

_WHERE = {
    "base": (
        "Covered",
        "Method",
        "Mode",
        "Publishes",
    ),
    "cell_suppression.method": ("CellSuppression",),
    "diffgen.method": ("DiffGen",),
    "diffgen.options": ("Choices", "Utility"),
    "full_domain.ola": ("OLA",),
    "full_domain.optimal_lattice": ("OptimalLattice",),
    "k_epsilon.bounds": ("ClassBounds",),
    "k_epsilon.method": ("KEpsilon",),
    "k_epsilon.settings": ("Several",),
    "local_recoding.method": ("LocalRecoding",),
    "marginals.method": ("Marginals",),
    "microaggregation.mdav": ("MDAV",),
    "microaggregation.method": ("MicroaggregationDP",),
    "mondrian.method": ("Mondrian",),
    "nsvdist.method": ("NSVDist",),
    "parts.publish": ("Publish",),
    "perturbation.noise": ("Noise",),
    "perturbation.pram": ("PRAM",),
    "perturbation.rank_swapping": ("RankSwapping",),
    "rivals.nhaa": ("NHAA",),
    "rivals.sequential": ("Sequential",),
    "safepub.method": ("SafePub",),
    "top_down.pais": ("PAIS",),
    "top_down.tds": ("TDS",),
}

__all__ = [
    "MDAV",
    "NHAA",
    "OLA",
    "PAIS",
    "PRAM",
    "TDS",
    "CellSuppression",
    "Choices",
    "ClassBounds",
    "Covered",
    "DiffGen",
    "KEpsilon",
    "LocalRecoding",
    "Marginals",
    "Method",
    "MicroaggregationDP",
    "Mode",
    "Mondrian",
    "NSVDist",
    "Noise",
    "OptimalLattice",
    "Publish",
    "Publishes",
    "RankSwapping",
    "SafePub",
    "Sequential",
    "Several",
    "Utility",
]

__getattr__, __dir__ = when_asked_for(__name__, _WHERE)
