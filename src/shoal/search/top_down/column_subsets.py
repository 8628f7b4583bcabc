"""Which specializations of a growing cut keep LKC-privacy, looked at for all split points of a value at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from shoal.arrays import Codes, Keys, Mask
from shoal.criteria.lkc import SLACK, LKCPrivacy
from shoal.data.encoded import EncodedTable
from shoal.data.people.incidence import Incidence
from shoal.kernels import grouping
from shoal.kernels.grouping import narrowest
from shoal.search.top_down.candidates import BRANCH, CutCandidates
from shoal.search.top_down.least_groups import least_sides_in_persons


class FewColumns:
    """The groups of L columns of a cut.

    Only combinations with the specialized column change, and of those only groups with the specialized value: so what
    is looked at are the records with that value, in each combination of L − 1 other columns that tell them apart.
    """

    def __init__(
        self, candidates: CutCandidates, table: EncodedTable, criteria: Sequence[LKCPrivacy], shown: Sequence[str]
    ) -> None:
        """`criteria` differ in their sensitive column alone; `shown` are quasi-identifiers published as they are."""
        self._candidates = candidates
        self._length, self._k = criteria[0].length, criteria[0].k
        self._share = criteria[0].confidence * (1 + SLACK)
        self._shown = [
            grouping.compact(table.counts.column(name).astype(np.int64), table[name].domain.size)[0] for name in shown
        ]
        self._labels: list[Codes] = []
        self._values = 0
        for criterion in criteria:
            if criterion.column is not None:
                protected = criterion.protected(table)
                number = np.full(table[criterion.column].domain.size, -1)
                number[protected] = self._values + np.arange(len(protected))
                self._labels.append(number[table.counts.column(criterion.column)])
                self._values += len(protected)

    def keeping(self, column: int, value: int) -> Mask:
        """Which ways to specialize a value keep the criteria; in persons, groups of k: shares are not looked at."""
        if self._candidates.cut.persons is not None:
            return self._keeping_persons(self._candidates.cut.persons, column, value)
        from shoal.search.top_down import combinations_kernel as kernel

        cut, ways = self._candidates.cut, self._candidates.of[column][value]
        axis, leaves = cut.axes[column], cut.codes[column]
        rows = np.flatnonzero((leaves >= axis.firsts[value]) & (leaves <= axis.lasts[value]))
        is_split = ways.at[0] != BRANCH
        borders = ways.at if is_split else axis.child_starts(value, BRANCH)[1:]
        place = np.searchsorted(borders, leaves[rows], side="right")
        signs = [labels[rows] + 1 for labels in self._labels]
        others = [a.value_of(c[rows]) for i, (a, c) in enumerate(zip(cut.axes, cut.codes, strict=True)) if i != column]
        others += [codes[rows] for codes in self._shown]
        (places, *distinct), sizes = _merged([place, *signs, *others], cut.sizes[rows])
        labels = np.array(distinct[: len(signs)], dtype=np.int32).reshape(len(signs), len(sizes)) - 1
        apart = [codes for codes in distinct[len(signs) :] if codes.max() > codes.min()]
        codes = np.array([*apart, places], dtype=np.int32)
        widths = codes.max(axis=1).astype(np.int64) + 1
        chosen = np.array(list(combinations(range(len(apart)), min(self._length - 1, len(apart)))), dtype=np.int64)
        if is_split:
            return kernel.whole_splits(
                chosen, codes, widths, labels, self._values, sizes, codes[-1], len(ways), self._k, self._share
            )
        with_child = np.column_stack([chosen, np.full(len(chosen), len(apart))])
        is_broken = kernel.broken_branches(with_child, codes, widths, labels, self._values, sizes, self._k, self._share)
        return np.array([not is_broken])

    def _keeping_persons(self, persons: Incidence, column: int, value: int) -> Mask:
        cut, ways = self._candidates.cut, self._candidates.of[column][value]
        axis, leaves = cut.axes[column], cut.codes[column]
        here = (leaves >= axis.firsts[value]) & (leaves <= axis.lasts[value])
        is_split = ways.at[0] != BRANCH
        place = np.searchsorted(
            ways.at if is_split else axis.child_starts(value, BRANCH)[1:], leaves[here], side="right"
        )
        others = [a.value_of(c[here]) for i, (a, c) in enumerate(zip(cut.axes, cut.codes, strict=True)) if i != column]
        others += [codes[here] for codes in self._shown]
        apart = [codes for codes in others if len(codes) and codes.max() > codes.min()]
        few, keeps = persons.kept(here), np.ones(len(ways), dtype=np.bool_)
        for chosen in combinations(apart, min(self._length - 1, len(apart))):
            columns = [*chosen] if is_split else [*chosen, place]
            widths = [int(codes.max(initial=0)) + 1 for codes in columns]
            group, groups = grouping.group(columns, widths, len(place))
            if is_split:
                no_value = np.zeros(groups, dtype=np.int64)
                points = np.array([len(ways)], dtype=np.int64)
                keeps &= least_sides_in_persons(few, group, place.astype(np.int64), groups, no_value, points) >= self._k
            else:
                keeps &= not few.fewer(group, groups, self._k).any()
            if not keeps.any():
                break
        return keeps


def _merged(columns: Sequence[Codes], sizes: Keys) -> tuple[list[Codes], Keys]:
    """The distinct rows in the order of the columns."""
    widths = [int(column.max(initial=0)) + 1 for column in columns]
    narrow = [column.astype(narrowest(width)) for column, width in zip(columns, widths, strict=True)]
    return grouping.distinct_rows(narrow, widths, sizes)
