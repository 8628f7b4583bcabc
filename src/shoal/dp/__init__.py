"""Randomness with a price: what is promised, what it costs, and the only places where coins are tossed.

What is listed here can be used by itself: exact coins, mechanisms that charge what they draw, accounting, and ledgers,
in memory (`Ledger`) and on disk (`LedgerStore`). Releases of tables are paid from a `shoal.Ledger`, which is such a
store that knows datasets by their values. Each name is loaded when it is first asked for.

>>> from fractions import Fraction
>>> import numpy as np
>>> from shoal import dp
>>> ledger = dp.Ledger(limit=dp.PrivacyCost.of(1))
>>> noise = dp.DiscreteLaplace(epsilon=Fraction(1), sensitivity=1)
>>> noisy = noise.add(np.array([120, 45, 0]), dp.secure_coins(), ledger, "three counts of disjoint groups")
>>> print(ledger.spent)
epsilon = 1, delta = 0 (add/remove one record)
"""

from typing import TYPE_CHECKING

from shoal.loading import when_asked_for

if TYPE_CHECKING:
    from shoal.dp.accounting.composition import amplify, parallel, sequential
    from shoal.dp.accounting.concentrated import ConcentratedCost, tighter
    from shoal.dp.accounting.cost import PrivacyCost
    from shoal.dp.accounting.relation import Neighbors, Relation, attributes
    from shoal.dp.accounting.threshold import SampleAndThreshold, smallest_threshold
    from shoal.dp.coins.coins import Coins, SeededCoins, secure_coins
    from shoal.dp.coins.sampling_rate import OneMinusExp
    from shoal.dp.ledger.account import Account
    from shoal.dp.ledger.fingerprint import Dataset
    from shoal.dp.ledger.ledger import Ledger
    from shoal.dp.ledger.payment import Payment
    from shoal.dp.ledger.store import LedgerStore
    from shoal.dp.mechanisms.best_of_runs import BestOfRuns
    from shoal.dp.mechanisms.cells import noisy_cells
    from shoal.dp.mechanisms.gaussian import DiscreteGaussian
    from shoal.dp.mechanisms.laplace import DiscreteLaplace
    from shoal.dp.mechanisms.rounded_laplace import RoundedLaplace
    from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip

_WHERE = {
    "accounting.composition": ("amplify", "parallel", "sequential"),
    "accounting.concentrated": ("ConcentratedCost", "tighter"),
    "accounting.cost": ("PrivacyCost",),
    "accounting.relation": ("Neighbors", "Relation", "attributes"),
    "accounting.threshold": ("SampleAndThreshold", "smallest_threshold"),
    "coins.coins": ("Coins", "SeededCoins", "secure_coins"),
    "coins.sampling_rate": ("OneMinusExp",),
    "ledger.account": ("Account",),
    "ledger.fingerprint": ("Dataset",),
    "ledger.ledger": ("Ledger",),
    "ledger.payment": ("Payment",),
    "ledger.store": ("LedgerStore",),
    "mechanisms.best_of_runs": ("BestOfRuns",),
    "mechanisms.cells": ("noisy_cells",),
    "mechanisms.gaussian": ("DiscreteGaussian",),
    "mechanisms.laplace": ("DiscreteLaplace",),
    "mechanisms.rounded_laplace": ("RoundedLaplace",),
    "mechanisms.selection": ("ExponentialMechanism", "PermuteAndFlip"),
}

__all__ = [
    "Account",
    "BestOfRuns",
    "Coins",
    "ConcentratedCost",
    "Dataset",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Ledger",
    "LedgerStore",
    "Neighbors",
    "OneMinusExp",
    "Payment",
    "PermuteAndFlip",
    "PrivacyCost",
    "Relation",
    "RoundedLaplace",
    "SampleAndThreshold",
    "SeededCoins",
    "amplify",
    "attributes",
    "noisy_cells",
    "parallel",
    "secure_coins",
    "sequential",
    "smallest_threshold",
    "tighter",
]

__getattr__, __dir__ = when_asked_for(__name__, _WHERE)
