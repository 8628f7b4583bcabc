"""How columns depend on each other, before and after: mutual information, Cramér's V, correlation.

The release is read by expectation: a published cell is spread over what it may have been, independently of the other
cells of its record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from shoal.arrays import Codes, Floats, Keys
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.errors import ParameterError
from shoal.evaluate.marginals import present, shares, total_variation
from shoal.evaluate.posterior import Spread, spread, spreads, sums
from shoal.evaluate.same_table import require_same_columns
from shoal.evaluate.weighted import counted_records
from shoal.kernels import grouping

_DENSE_PAIRS = 1 << 22
_CHUNK = 1 << 16
_LEAST_VARIANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Dependence:
    """Square matrices over `columns`.

    Attributes:
        columns: Their names.
        information: Mutual information in bits; on the diagonal the entropy of the column. A column of many values is
            cut into pieces of about equally many records first.
        association: Cramér's V of the same pieces, from 0 (independent) to 1; 1 on the diagonal; 0 where a column has
            one value, which tells nothing.
        correlation: Pearson's r of ordered columns by the positions of their values, where both are present; NaN for
            others and for columns that do not vary.
    """

    columns: tuple[str, ...]
    information: Floats
    association: Floats
    correlation: Floats


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DependenceKept:
    """How columns depend on each other in the original and in the release; `after − before` is what changed.

    Attributes:
        before: The original.
        after: The release.
        distance: Per pair of columns the total variation between their joint distributions before and after, by the
            same pieces; on the diagonal that of the column alone. Two columns can be as dependent as before in quite
            another way: information alone does not see that, this does.
    """

    before: Dependence
    after: Dependence
    distance: Floats

    @property
    def mean_distance(self) -> float:
        """The mean distance over pairs of different columns; NaN if there is one column."""
        above = np.triu_indices(len(self.before.columns), 1)
        return float(self.distance[above].mean()) if len(above[0]) else float("nan")

    @property
    def information_kept(self) -> float:
        """1 − Σ |after − before| / Σ before over pairs of columns, at least 0: new dependence counts against it.

        Noise on many values looks like dependence, so a release can keep much by this figure and yet be far from the
        original: read it beside `mean_distance`.
        """
        above = np.triu_indices(len(self.before.columns), 1)
        before, after = self.before.information[above], self.after.information[above]
        return max(1 - float(np.abs(after - before).sum() / before.sum()), 0.0) if before.sum() > 0 else float("nan")

    @property
    def correlation_error(self) -> float:
        """The mean of |after − before| over the pairs that have a correlation in the original; one lost counts as 0."""
        above = np.triu_indices(len(self.before.columns), 1)
        before, after = self.before.correlation[above], self.after.correlation[above]
        known = ~np.isnan(before)
        errors = np.abs(np.nan_to_num(after[known]) - before[known])
        return float(errors.mean()) if known.any() else float("nan")


def dependence_kept(outcome: Outcome, pieces: int = 64, *, weighted: bool = False) -> DependenceKept:
    """Every pair of published columns before and after; looks at the original, so it is for its owner only.

    Args:
        outcome: What a method decided.
        pieces: Columns with more values than this are cut into so many pieces for information and association.
        weighted: Whether records count by their weights, so that it is the population in which columns depend.
    """
    require_same_columns(outcome)
    if pieces < 2:
        raise ParameterError(f"pieces is a number of 2 or more; got {pieces!r}.")
    table, names = outcome.table, outcome.published.names
    given, published = counted_records(outcome, weighted=weighted)
    originals = given.project(names)
    cuts = {name: _pieces(originals, name, pieces) for name in names}
    plain: dict[str, Spread] = {name: spread(table[name], None) for name in names}
    read = spreads(outcome)
    joints = _joints(originals, plain, cuts), _joints(published, read, cuts)
    distance = np.zeros((len(names), len(names)))
    for (i, j), joint in joints[0].items():
        distance[i, j] = distance[j, i] = total_variation(shares(joint), shares(joints[1][i, j]))
    return DependenceKept(
        before=_dependence(names, joints[0], _correlation(table, originals, plain)),
        after=_dependence(names, joints[1], _correlation(table, published, read)),
        distance=distance,
    )


def mutual_information(joint: Floats) -> float:
    """Σ p(x, y) log2( p(x, y) / p(x) p(y) ) of a table of weights; 0 if it is empty."""
    total = float(joint.sum())
    if total <= 0:
        return 0.0
    p = joint / total
    independent = np.outer(p.sum(axis=1), p.sum(axis=0))
    there = p > 0
    return max(float((p[there] * np.log2(p[there] / independent[there])).sum()), 0.0)


def cramers_v(joint: Floats) -> float:
    """√( χ² / n (min(rows, columns) − 1) ) of a table of weights without its empty rows and columns.

    0 where one of both has a single value: it tells nothing about the other.
    """
    joint = joint[joint.sum(axis=1) > 0][:, joint.sum(axis=0) > 0]
    freedom = min(joint.shape) - 1
    if freedom < 1:
        return 0.0
    p = joint / float(joint.sum())
    independent = np.outer(p.sum(axis=1), p.sum(axis=0))
    return min(float(np.sqrt(((p - independent) ** 2 / independent).sum() / freedom)), 1.0)


def _dependence(names: tuple[str, ...], joints: Mapping[tuple[int, int], Floats], correlation: Floats) -> Dependence:
    information, association = (np.full((len(names), len(names)), np.nan) for _ in range(2))
    for (i, j), joint in joints.items():
        information[i, j] = information[j, i] = mutual_information(joint)
        association[i, j] = association[j, i] = cramers_v(joint)
    return Dependence(columns=names, information=information, association=association, correlation=correlation)


def _joints(counts: Counts, by_column: Mapping[str, Spread], cuts: Mapping[str, Keys]) -> dict[tuple[int, int], Floats]:
    """Per pair of columns, i <= j, the expected records in each pair of pieces."""
    names = counts.names
    cut = {name: _cut(by_column[name], cuts[name]) for name in names}
    lookups = {name: (codes, len(chances)) for name, (codes, chances) in cut.items()}
    is_short = math.prod(len(chances) for _, chances in cut.values()) <= len(counts)
    coarse = counts.roll_up(lookups) if is_short else counts.recoded(lookups)  # merged only if few are left for certain
    joints, sizes = {}, coarse.sizes.astype(float)
    for i, j in combinations_with_replacement(range(len(names)), 2):
        left, right = cut[names[i]][1], cut[names[j]][1]
        if i == j:
            joints[i, j] = np.diag(left.T @ sums(coarse.codes[i], sizes, len(left)))
        else:
            joints[i, j] = _joint(coarse.codes[i], coarse.codes[j], sizes, left, right)
    return joints


def _pieces(counts: Counts, name: str, most: int) -> Keys:
    """The first leaf of each piece: every leaf, or at most so many pieces of about equally many records."""
    records = grouping.totals(counts.column(name).astype(np.int64), counts.cardinality(name), counts.sizes)
    if len(records) <= most:
        return np.arange(len(records))
    before = np.concatenate([[0], np.cumsum(records)[:-1]])
    piece = np.minimum(before * most // max(int(records.sum()), 1), most - 1)
    return np.flatnonzero(np.diff(piece, prepend=-1))


def _cut(by_code: Spread, firsts: Keys) -> tuple[Keys, Floats]:
    """New codes, and `chances[code, piece]`: how likely each of them is a value of a piece.

    Codes that can only be of one piece become this piece, so that columns of many values cost nothing.
    """
    lasts = np.append(firsts[1:], by_code.domain) - 1
    first, last = (np.searchsorted(firsts, ends, side="right") - 1 for ends in by_code.ends())
    mixed = np.flatnonzero(first != last)
    codes = first.copy()
    codes[mixed] = len(firsts) + np.arange(len(mixed))
    chances = np.zeros((len(firsts) + len(mixed), len(firsts)))
    np.fill_diagonal(chances, 1.0)
    if len(mixed):
        for piece, (a, b) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
            chances[len(firsts) :, piece] = by_code.within(a, b, mixed)
    return codes, chances


def _joint(first: Codes, second: Codes, sizes: Floats, left: Floats, right: Floats) -> Floats:
    """Expected records in each pair of pieces, from the codes of records."""
    (codes, pieces), (others, places) = left.shape, right.shape
    if codes * others > _DENSE_PAIRS:
        pairs = Counts.of(("first", "second"), (first, second), (codes, others), sizes.astype(np.int64))
        (first, second), there = pairs.codes, pairs.sizes.astype(float)
    else:
        cells = sums(first.astype(np.int64) * others + second, sizes, codes * others)
        pair = np.flatnonzero(cells)
        if pieces * others * (codes + places) <= len(pair) * pieces * (places + 2):
            return np.asarray(left.T @ cells.reshape(codes, others) @ right)
        first, second, there = pair // others, pair % others, cells[pair]  # local recodings: many codes, few pairs
    joint = np.zeros((pieces, places))
    for start in range(0, len(there), _CHUNK):
        rows = slice(start, start + _CHUNK)
        joint += (left[first[rows]] * there[rows, None]).T @ right[second[rows]]
    return joint


def _correlation(table: EncodedTable, counts: Counts, by_column: Mapping[str, Spread]) -> Floats:
    """Pearson's r of each pair from sums of moments; cells of one record are independent given what is published."""
    ordered = [i for i, name in enumerate(counts.names) if table[name].domain.ordered]
    found = np.full((len(counts.names), len(counts.names)), np.nan)
    named = [counts.names[i] for i in ordered]
    moments = [_moments(table, name, by_column[name]) for name in named]
    if named and math.prod(map(counts.cardinality, named)) <= len(counts):  # then fewer records differ in them
        counts = counts.project(named)
    columns = [counts.column(name) for name in named]
    both, one, square, product = np.zeros((4, len(ordered), len(ordered)))
    for start in range(0, len(counts), _CHUNK) if ordered else ():
        rows = slice(start, start + _CHUNK)
        cells = [of_code[:, codes[rows]] for of_code, codes in zip(moments, columns, strict=True)]
        here, position, squared = np.stack(cells, axis=2)
        weighted = here * counts.sizes[rows, None]
        both += here.T @ weighted  # records in which both columns are present
        one += position.T @ weighted  # of the row's column, where the other one is present too
        square += squared.T @ weighted
        product += position.T @ (position * counts.sizes[rows, None])
    both = np.maximum(both, 1e-300)
    mean, variance = one / both, square / both - (one / both) ** 2
    varies = (variance > _LEAST_VARIANCE) & (variance.T > _LEAST_VARIANCE)
    scale = np.sqrt(np.where(varies, variance * variance.T, 1.0))
    r = np.where(varies, np.clip((product / both - mean * mean.T) / scale, -1, 1), np.nan)
    np.fill_diagonal(r, np.where(np.diag(variance) > _LEAST_VARIANCE, 1.0, np.nan))
    found[np.ix_(ordered, ordered)] = r
    return found


def _moments(table: EncodedTable, name: str, by_code: Spread) -> Floats:
    """Three numbers per code: the chance to be present, the expected position where it is, and its square."""
    attribute = table[name]
    here = present(attribute)
    position = np.where(here, np.cumsum(here) - 1, 0) / max(int(here.sum()) - 1, 1)
    return np.stack([by_code.average(values) for values in (here.astype(float), position * here, position**2 * here)])
