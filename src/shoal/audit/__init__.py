"""Do mechanisms keep their promises? Ways to find out, two of them for any callable that takes a table and coins.

*Exactly*: `exact_epsilon` replays a mechanism along every branch of its coins on a toy domain and compares the output
distributions of neighboring tables; `audit_charges` compares them with what the mechanism charged.

*By solving*: `audit_overlap` finds out what a release of overlapping sets tells for certain (NSVDist as published).

*By trying all worlds*: `audit_minimality` finds out what knowing the algorithm adds to a release.

*As a black box*: `estimate_epsilon` runs a mechanism many times and returns an ε that it exceeds, with stated
confidence.

>>> from fractions import Fraction
>>> from shoal.dp.mechanisms.laplace import DiscreteLaplace
>>> from shoal.dp.ledger.ledger import Ledger
>>> import numpy as np
>>> noise = DiscreteLaplace(epsilon=Fraction(1, 2), sensitivity=1)
>>> def count(table, coins):
...     return int(noise.add(np.array([len(table)]), coins, Ledger(), "how many")[0])
>>> round(exact_epsilon(count, add_remove_neighbors("ab", most=2)).epsilon, 6)
0.5
"""

from shoal.audit.bill import Bill, audit_charges, charges_first
from shoal.audit.blackbox import Finding, estimate_epsilon
from shoal.audit.confidence import clopper_pearson
from shoal.audit.enumeration import Distribution, EnumeratingCoins, distribution
from shoal.audit.loss import Loss, exact_delta, exact_epsilon, hockey_stick, max_log_ratio
from shoal.audit.minimality import Minimality, audit_minimality
from shoal.audit.neighbors import add_remove_neighbors, replace_neighbors
from shoal.audit.overlap import Overlap, audit_overlap

__all__ = [
    "Bill",
    "Distribution",
    "EnumeratingCoins",
    "Finding",
    "Loss",
    "Minimality",
    "Overlap",
    "add_remove_neighbors",
    "audit_charges",
    "audit_minimality",
    "audit_overlap",
    "charges_first",
    "clopper_pearson",
    "distribution",
    "estimate_epsilon",
    "exact_delta",
    "exact_epsilon",
    "hockey_stick",
    "max_log_ratio",
    "replace_neighbors",
]
