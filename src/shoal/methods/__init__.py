"""Methods: what anonymizes. One system a file, under one protocol."""

from shoal.methods.base import Method
from shoal.methods.ola import OLA
from shoal.methods.optimal_lattice import OptimalLattice

__all__ = ["OLA", "Method", "OptimalLattice"]
