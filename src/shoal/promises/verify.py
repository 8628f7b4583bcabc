"""Check a published table against its criteria, from the published records alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Keys, Nodes
from shoal.criteria import DistinctDiversity, KAnonymity, LKCPrivacy
from shoal.criteria.base import Criterion, unit_of
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.people.incidence import Incidence
from shoal.data.people.survey_weights import SurveyWeights
from shoal.data.unit import Unit
from shoal.kernels import grouping


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a published table stands to one criterion."""

    criterion: Criterion
    reached: float
    holds: bool


def with_checkable(criteria: Sequence[Criterion]) -> tuple[Criterion, ...]:
    """The criteria, and what follows from those about persons for records: that much anybody can check.

    k persons have k records or more, and ℓ values of theirs are ℓ values.
    """
    about_persons = [c for c in criteria if unit_of(c) is not Unit.RECORD]
    follows = [follower for c in about_persons if (follower := _in_records(c)) is not None]
    return tuple(dict.fromkeys([*criteria, *follows]))


def _in_records(criterion: Criterion) -> Criterion | None:
    """What a criterion about persons says of the records of a class: their number, or that of their values."""
    if isinstance(criterion, LKCPrivacy):
        return LKCPrivacy(criterion.length, criterion.k)
    implied = criterion.implied()
    return replace(implied, unit=Unit.RECORD) if isinstance(implied, KAnonymity | DistinctDiversity) else None


def verified(outcome: Outcome, criteria: Sequence[Criterion]) -> list[Verdict]:
    """Judge what a method decided by what it promises, and by what follows from that for records."""
    checked = with_checkable(criteria)
    if not checked:
        return []
    weights, persons, population = (
        outcome.published_weights(),
        outcome.published_persons(),
        outcome.recoded_population(),
    )
    return verify(outcome.table, outcome.published, checked, persons, weights, population)


def verify(
    table: EncodedTable,
    published: Counts,
    criteria: Sequence[Criterion],
    persons: Incidence | None = None,
    weights: SurveyWeights | None = None,
    population: Counts | None = None,
) -> list[Verdict]:
    """Judge the classes of a published table, whose quasi-identifiers are the columns of that role in `table`.

    A criterion that compares with the input compares with `table`, and one that counts persons counts `persons`, who
    has which published records; those about a population ask the `weights` of published records, or the `population`,
    recoded as they are. Only its owner can verify these.
    """
    quasi = [attribute.name for attribute in table.quasi_identifiers]
    keys, domain, outside = *published.group(quasi), None
    if population is not None:
        both = [np.concatenate([published.column(name), population.column(name)]) for name in quasi]
        widths = [population.cardinality(name) for name in quasi]
        keys, domain = grouping.group(both, widths, len(published) + len(population))
        keys, outside = keys[: len(published)], keys[len(published) :]

    def row_nodes(attribute: int, rows: Keys) -> Nodes:
        """Published codes are not nodes, but equal where what is published is equal: criteria need no more."""
        return published.column(quasi[attribute])[rows].astype(np.int32)

    unit = Unit.RECORD if persons is None else persons.unit
    here = EncodedTable(
        table.attributes, published, persons=persons, unit=unit, survey_weights=weights, population=population
    )
    classes = Classes(here, keys, domain, row_nodes, source=table, outside=outside)
    everything = np.ones(len(classes), dtype=np.bool_)
    verdicts = []
    for criterion in criteria:
        if not len(classes):  # no class breaks a criterion, and none reaches anything
            verdicts.append(Verdict(criterion, 0.0, holds=True))
            continue
        reached = criterion.worst(criterion.measure(classes, everything))
        holds = not criterion.violations(classes, everything).any()
        verdicts.append(Verdict(criterion, reached, holds))
    return verdicts
