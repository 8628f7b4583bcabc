"""Methods: what anonymizes. One system a file, under one protocol."""

from shoal.methods.base import CoversColumns, Method, Mode, PrivateMethod
from shoal.methods.diffgen import Choices, DiffGen, Utility
from shoal.methods.k_epsilon import KEpsilon, Several
from shoal.methods.k_epsilon_bounds import ClassBounds
from shoal.methods.local_recoding import LocalRecoding
from shoal.methods.mdav import MDAV
from shoal.methods.microaggregation import MicroaggregationDP
from shoal.methods.mondrian import Mondrian
from shoal.methods.nhaa import NHAA
from shoal.methods.nsvdist import NSVDist
from shoal.methods.ola import OLA
from shoal.methods.optimal_lattice import OptimalLattice
from shoal.methods.pais import PAIS
from shoal.methods.safepub import SafePub
from shoal.methods.sequential import Sequential
from shoal.methods.tds import TDS

__all__ = [
    "MDAV",
    "NHAA",
    "OLA",
    "PAIS",
    "TDS",
    "Choices",
    "ClassBounds",
    "CoversColumns",
    "DiffGen",
    "KEpsilon",
    "LocalRecoding",
    "Method",
    "MicroaggregationDP",
    "Mode",
    "Mondrian",
    "NSVDist",
    "OptimalLattice",
    "PrivateMethod",
    "SafePub",
    "Sequential",
    "Several",
    "Utility",
]
