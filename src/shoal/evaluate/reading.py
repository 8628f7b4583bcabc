"""Two ways of reading a release as examples to learn from."""

from __future__ import annotations

from enum import Enum

import numpy as np

from shoal.data.outcome import Outcome
from shoal.data.recoding import Recoding
from shoal.data.shown import Shown, Spans, TreeNodes
from shoal.errors import ParameterError
from shoal.evaluate.posterior import spread


class Reading(Enum):
    """How learners read a release."""

    GENERALIZED = "generalized"
    """What is published are the features: "30-39" is a value like any other, and test records are recoded in the same
    way. Needs a release that recodes value by value. Paper: DiffGen §5, SafePub §8.6."""
    MATERIALIZED = "materialized"
    """A concrete record is drawn from each published one (`materialize`), and test records stay as they are. Works for
    every release. Paper: NSVDist §5.1."""

    @staticmethod
    def of(outcome: Outcome, target: str | None = None) -> Reading:
        """Generalized features where the release allows it, else concrete records.

        Also where the target itself is published coarser than it is: to predict a group of labels is easier, and to
        predict a column that hides every label takes nothing.
        """
        if not _recodes_every_column(outcome) or _is_coarser(outcome, target):
            return Reading.MATERIALIZED
        return Reading.GENERALIZED


def recoding_of(outcome: Outcome) -> Recoding:
    """How to recode test records as the release is; refused where a value alone does not decide it."""
    if not _recodes_every_column(outcome) or outcome.recoding is None:
        raise ParameterError(
            "this release recodes records, not values, so that its recoding cannot be applied to test records; "
            "read it as Reading.MATERIALIZED."
        )
    return outcome.recoding


def _is_coarser(outcome: Outcome, name: str | None) -> bool:
    """Whether some published value of a column may have been several ones."""
    if name is None or name not in outcome.shown:
        return False
    first, last = spread(outcome.table[name], outcome.shown[name]).ends()
    used = np.unique(outcome.published.column(name))
    return bool((first[used] != last[used]).any())


def _recodes_every_column(outcome: Outcome) -> bool:
    """Whether all that is shown is what the recoding makes of single values: noisy numbers beside it are not."""
    if outcome.recoding is None:
        return False
    quasi = {attribute.name: attribute for attribute in outcome.table.quasi_identifiers}
    return all(
        name in quasi and _is_same(shown, outcome.recoding.lookup(quasi[name]).shown)
        for name, shown in outcome.shown.items()
    ) and all(name in outcome.shown for name in quasi)


def _is_same(one: Shown, other: Shown) -> bool:
    match one, other:
        case TreeNodes(), TreeNodes():
            return np.array_equal(one.nodes, other.nodes)
        case Spans(), Spans():
            return np.array_equal(one.first, other.first) and np.array_equal(one.last, other.last)
        case _:
            return one is other
