"""A private tree: wide numbers are halved again and again where records are, by noisy decisions.

Paper: Zhang, Xiao & Xie 2016 (PrivTree), here with whole numbers and exact noise; `docs/proofs/marginals.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.dp.accounting.interval import Interval
from shoal.methods.marginals.budget import TREE_SHARE, worth_halving
from shoal.methods.marginals.leaves import Leaves, is_wide, numbers_of

if TYPE_CHECKING:
    from shoal.arrays import Codes, Keys, Sizes
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins
    from shoal.methods.marginals.purse import Purse

_LOSSES = 3
"""One record changes the decisions of a tree by at most so many times the exponent of their noise."""


def private_pieces(
    codes: Codes, sizes: Sizes, width: int, least: int, purse: Purse, share: Fraction, coins: Coins, reason: str
) -> Keys:
    """Where the pieces of 0…width−1 start, finer where more records are; pays a share of the purse, worth ε.

    A piece at depth h with c records is halved if max(c − h δ, θ − δ) with noise is above θ, the `least` number worth
    halving. Noise has the exponent ε/3 and δ is 3 ln(2)/ε, rounded up, so that with the depth less and less is at
    stake: all decisions together cost ε.

    Guarantee: ε-DP under add/remove-one-record, if width and least number are public.
    """
    exponent = exponent_of(purse.tree(share, reason))
    decay = decay_of(exponent)
    order = np.argsort(codes, kind="stable")
    places = codes[order].astype(np.int64)
    below = np.concatenate([[0], np.cumsum(sizes[order])])
    firsts, ends = np.zeros(1, dtype=np.int64), np.full(1, width, dtype=np.int64)
    found = [firsts[:0]]
    depth = 0
    while len(firsts):
        counts = below[np.searchsorted(places, ends)] - below[np.searchsorted(places, firsts)]
        biased = np.maximum(counts - depth * decay, least - decay)
        splits = np.zeros(len(firsts), dtype=np.bool_)
        can = np.flatnonzero(ends - firsts > 1)
        splits[can] = biased[can] + coins.discrete_laplaces(exponent, len(can)) > least
        found.append(firsts[~splits])
        low, high = firsts[splits], ends[splits]
        middle = (low + high) // 2
        firsts, ends = np.concatenate([low, middle]), np.concatenate([middle, high])
        depth += 1
    return np.sort(np.concatenate(found))


def found_leaves(records: EncodedTable, others: Sequence[str], purse: Purse, coins: Coins) -> list[Leaves]:
    """The leaves of each of these columns: those of wide numbers by a tree each, which share a part of the purse."""
    wide = [name for name in others if is_wide(records[name])]
    least = worth_halving(purse, len(records.attributes))
    found = []
    for name in others:
        attribute = records[name]
        if name not in wide:
            found.append(Leaves.single(attribute))
            continue
        codes, numbers = records.counts.column(name), numbers_of(attribute)
        there = codes < numbers
        share = TREE_SHARE / len(wide)
        sizes = records.counts.sizes[there]
        firsts = private_pieces(codes[there], sizes, numbers, least, purse, share, coins, "find the leaves of a column")
        found.append(Leaves.of_pieces(attribute, firsts))
    return found


def left_beside_trees(records: EncodedTable, others: Sequence[str]) -> Fraction:
    """What is left of a purse: all of it where no column has wide numbers."""
    return 1 - TREE_SHARE if any(is_wide(records[name]) for name in others) else Fraction(1)


def exponent_of(epsilon: Fraction) -> Fraction:
    """That of the noise on the decisions of a tree which is worth ε."""
    return epsilon / _LOSSES


def decay_of(exponent: Fraction) -> int:
    """δ: a whole number with e^(−exponent δ) ≤ 1/2, the least one but for the last digits."""
    return math.ceil((Interval.of(2).ln() / exponent).upper())
