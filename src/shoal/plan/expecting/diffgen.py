"""What DiffGen's choices and counts can tell at a number of records."""

from __future__ import annotations

from math import exp, log, prod, sinh
from typing import TYPE_CHECKING

import numpy as np

from shoal.methods.base import Mode
from shoal.methods.diffgen import DiffGen, Show
from shoal.methods.diffgen.division import division_for
from shoal.methods.marginals.advice import USELESS, expected_worth, is_useless
from shoal.methods.marginals.budget import SIZE_SHARE, TREE_SHARE
from shoal.parameters import exact
from shoal.plan.expecting.expectation import Expectation
from shoal.plan.expecting.public_table import values_of
from shoal.plan.expecting.words import number, share_in_words

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.encoded import EncodedTable

_UNSURE = 0.05
_TINY = 1e-9
_TOO_MUCH = 0.1
"""A choice that may miss so large a share of all records is hardly better than one made without the data."""


def expected_of_diffgen(method: DiffGen, table: EncodedTable, records: int | None) -> Expectation:
    """What counts are off by, how many records are published, and what a choice may miss."""
    if method.shows is Show.VALUES:
        return _of_values(method, table, records)
    noise = count_error(method)
    figures: dict[str, float] = {"noise of a group": noise}
    said = [f"Every count of a group is off by {number(noise)} records on average, also where nobody is in it."]
    if records is None:
        said.append("Say about how many records there are, and more can be told.")
        return Expectation(said=tuple(said), figures=figures)
    steps = method.steps_for(records)
    if not method.is_joint:
        return _separate(method, table, records, steps, said, figures)
    missed = missed_by_a_choice(method, table, steps)
    total = _error(float(method.for_the_total))
    figures |= {"specializations": steps, "missed by a choice": missed, "records": records, "records off by": total}
    said += [
        f"About {records:,} records are published, give or take {number(total)}.",
        (
            f"At most {steps} specialization{'s' * (steps > 1)}; each choice may miss the best one by up to "
            f"{number(missed)} rightly classified records, {share_in_words(missed / records)} of all."
        ),
    ]
    warnings = []
    if missed > _TOO_MUCH * records:
        warnings.append(
            f"Choices may miss {share_in_words(missed / records)} of all records: what is specialized is nearly drawn "
            "at random, and nothing of use for prediction can be expected."
        )
    if total > _TOO_MUCH * records:
        warnings.append(
            f"The number of records itself is off by {number(total)} of {records:,}: the release may be far smaller or "
            "larger than the table."
        )
    better: tuple[str, ...] = ()
    if warnings:
        factor = max(missed, total) / (_TOO_MUCH * records)
        better = (
            f"{number(factor)} times as many records, or epsilon = {number(factor * float(exact(method.epsilon)))}.",
        )
    return Expectation(said=tuple(said), warnings=tuple(warnings), better=better, figures=figures)


def _of_values(method: DiffGen, table: EncodedTable, records: int | None) -> Expectation:
    """Where single columns are counted by class: what these counts are off by, and what ties columns together."""
    columns = len(table.attributes)
    noise = _error(method.precision(columns))
    figures: dict[str, float] = {"noise of a value by class": noise}
    said = [f"Counts of single values by class are off by about {number(noise)} records."]
    if records is None:
        said.append("Say about how many records there are, and more can be told.")
        return Expectation(said=tuple(said), figures=figures)
    epsilon = float(exact(method.epsilon))
    x = epsilon * records / columns
    total = _error(epsilon * float((1 - TREE_SHARE) * SIZE_SHARE))
    figures |= {"records for each column": x, "records": records, "records off by": total}
    if is_useless(epsilon, records, columns):
        worth = expected_worth(epsilon, records, columns)
        factor = 1 / max(x / USELESS, _TINY)
        better = f"{number(factor)} times as many records, or epsilon = {number(factor * epsilon)}."
        return Expectation(
            said=tuple(said), warnings=(worth[:1].upper() + worth[1:],), better=(better,), figures=figures
        )
    division = division_for(x, values_of(table[method.target]))
    said.append(f"About {records:,} records are published, give or take {number(total)}.")
    if not division.groups:
        said.append("Columns are tied together through the target alone.")
    else:
        chosen = f", and up to {division.steps} more are chosen" if division.steps else ""
        said.append(f"How columns tell about {method.target!r} together is counted in groups{chosen}.")
    return Expectation(said=tuple(said), figures=figures)


def count_error(method: DiffGen) -> float:
    """E|noise| of a published count: 1/sinh(ε') for discrete Laplace noise, at the least that is left for counts."""
    return _error(float(method.least_for_counts))


def _error(epsilon: float) -> float:
    """E|noise| of discrete Laplace noise for a number that one record moves by 1."""
    return 1 / sinh(min(epsilon, 700.0))


def missed_by_a_choice(method: DiffGen, table: EncodedTable, steps: int) -> float:
    """By how many records a choice misses the best one at most, 19 times of 20.

    A candidate that scores s below the best is at most e^(−η s) times as likely, η = ε/steps in records, so that all of
    them that are worse by more than s together have a chance of at most W e^(−η s) / w, where w is the weight of the
    best, that of one split point of the longest column, and W that of all: a value of each column, and to stop.
    """
    each = float(exact(method.epsilon) * exact(method.search_share)) / steps
    predictors = [values_of(a) for a in table.attributes if a.name != method.target]
    return log((len(predictors) + steps + 1) * max(predictors, default=1) / _UNSURE) / each


def _separate(
    method: DiffGen, table: EncodedTable, records: int, steps: int, said: list[str], figures: dict[str, float]
) -> Expectation:
    """As published: groups that are empty get noise too, and nothing takes it back."""
    groups = most_groups(table, method.target, steps)
    scale = 1 / float(method.least_for_counts)
    nobody = groups * scale * exp(-0.5 / scale) / 2
    figures |= {"groups at most": groups, "records of nobody at most": nobody}
    said.append(
        f"After {steps} specializations there are up to {number(groups)} groups, and {number(nobody)} records of "
        f"nobody beside {records:,} of people."
    )
    warnings: tuple[str, ...] = ()
    if nobody > records:
        warnings = (
            (
                "Most published records may stand for nobody: the published method adds noise to empty groups and "
                "keeps what is above zero."
            ),
        )
    instead = 'mode = "rigorous"' if method.mode is Mode.AS_PUBLISHED else 'choices = "joint"'
    better = (f"{instead}, whose counts add up to the number of records.",) if warnings else ()
    return Expectation(said=tuple(said), warnings=warnings, better=better, figures=figures)


def most_groups(table: EncodedTable, target: str, steps: int) -> int:
    """No cut has more groups: each specialization multiplies them by no more than the widest branching."""
    attributes = [a for a in table.attributes if a.name != target]
    leaves = prod(values_of(a) for a in attributes)
    widest = max((_branching(a) for a in attributes), default=2)
    return int(min(leaves, widest**steps)) * values_of(table[target])


def _branching(attribute: Attribute) -> int:
    """Into how many parts a value is split at most."""
    if attribute.domain.ordered:
        return 2
    above = attribute.hierarchy.parent
    return int(np.bincount(above[above >= 0]).max(initial=2))
