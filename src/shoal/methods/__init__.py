"""Methods: what anonymizes. One system a file, under one protocol."""

from shoal.methods.base import Method, Mode, PrivateMethod
from shoal.methods.ola import OLA
from shoal.methods.optimal_lattice import OptimalLattice
from shoal.methods.safepub import SafePub

__all__ = ["OLA", "Method", "Mode", "OptimalLattice", "PrivateMethod", "SafePub"]
