"""Full-domain recoding: one level of its hierarchy for each column.

`request` is what both ask for; `optimal_lattice` finds the node that loses least, `ola` the best of the minimal ones.
"""

from shoal.methods.full_domain.ola import OLA
from shoal.methods.full_domain.optimal_lattice import OptimalLattice

__all__ = ["OLA", "OptimalLattice"]
