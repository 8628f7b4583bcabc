"""What a release cost, gathered from the original for its owner: one look at everything a report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from shoal.data.outcome import Outcome
from shoal.data.people.pseudonyms import unlinked
from shoal.evaluate import Accuracy, CrossValidation, HeldOut, part, random_parts
from shoal.evaluate.dependence import DependenceKept, dependence_kept
from shoal.evaluate.information_loss import information_loss
from shoal.evaluate.learning.registry import LEARNERS
from shoal.evaluate.left_out import LeftOut, who_was_left_out
from shoal.evaluate.marginals import Marginal, marginals
from shoal.evaluate.parts import parts_of, rows_of
from shoal.evaluate.queries import Query, QueryErrors, Workload, both_query_errors, query_errors
from shoal.quality import Loss
from shoal.risk import (
    DisclosureBeforeAndAfter,
    HouseholdRisk,
    PopulationRiskBeforeAndAfter,
    RiskBeforeAndAfter,
    SpecialUniques,
    attribute_disclosure,
    release_household_risk,
    release_population_risk,
    release_risk,
    release_risk_in_population,
    special_uniques,
)

_MOST_COLUMNS = 40
"""Dependence is looked at pair by pair; of more columns a picture shows nothing."""
_FOLDS = 5
_MOST_TAUGHT = 100_000
"""Records that are enough to compare what learners reach."""
_MOST_VISITS = 40_000_000
"""Distinct records times combinations of columns that a report may look at: a few seconds."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Assessment:
    """For the owner only.

    Attributes:
        marginals: Each published column before and after.
        dependence: How columns depend on each other before and after; None for a single column or very many.
        queries: What count queries answer; None for an original without records.
        target: The column that learners predict, if there is one.
        accuracies: What learners reach, by name.
        risk: What class sizes say, before and after; None without quasi-identifiers, or if nothing is published.
        disclosure: What classes say about each sensitive column, before and after; nothing where pseudonyms link
            records, whose values are then to be told together.
        uniques: Which combinations of quasi-identifiers single people out in the original; None if there are too many
            columns and records to look at all of them.
        left_out: Which groups of people lose far more than others; None where nothing tells.
        population: What weights say about the risk of persons, before and after; None without weights.
        in_population: What a table of the population says about classes, before and after; None without one.
        households: How likely households are found in the release; None if nobody knows who lives together.
        weighted_marginals: Each published column before and after, records counted by their weights.
        weighted_queries: What count queries answer about the population; None without weights.
    """

    marginals: tuple[Marginal, ...]
    dependence: DependenceKept | None
    queries: QueryErrors | None
    target: str | None
    accuracies: Mapping[str, Accuracy]
    risk: RiskBeforeAndAfter | None
    disclosure: tuple[DisclosureBeforeAndAfter, ...]
    uniques: SpecialUniques | None
    left_out: LeftOut | None = None
    population: PopulationRiskBeforeAndAfter | None = None
    in_population: RiskBeforeAndAfter | None = None
    households: HouseholdRisk | None = None
    weighted_marginals: tuple[Marginal, ...] = ()
    weighted_queries: QueryErrors | None = None
    weighted_loss: float | None = None
    weighted_dependence: DependenceKept | None = None


def assess(
    outcome: Outcome, target: str | None = None, learners: Sequence[str] = ("c4.5",), seed: int = 0
) -> Assessment:
    """Measure what a release is still good for.

    Args:
        outcome: What a method decided.
        target: A column to predict; none, no learners.
        learners: Who predicts it, by the names of `evaluate.registry`.
        seed: Decides the queries, and what is drawn from published cells.
    """
    linked, outcome = outcome, unlinked(outcome)
    columns = len(outcome.published.names)
    population = release_population_risk(outcome) if outcome.published.kept else None
    queries = Workload(seed=seed).on(outcome.table) if outcome.table.total else ()
    asked = _asked(outcome, queries, weighted=population is not None)
    depends = 1 < columns <= _MOST_COLUMNS
    learns = target is not None and outcome.table.total > 0
    return Assessment(
        marginals=marginals(outcome),
        dependence=dependence_kept(outcome) if depends else None,
        queries=asked[0],
        target=target,
        accuracies=_accuracies(outcome, target, learners, seed) if learns and target is not None else {},
        risk=release_risk(linked) if outcome.table.quasi_identifiers and outcome.published.kept else None,
        disclosure=attribute_disclosure(outcome) if outcome.table.quasi_identifiers and linked is outcome else (),
        uniques=_uniques(outcome),
        left_out=who_was_left_out(outcome),
        population=population,
        in_population=release_risk_in_population(outcome),
        households=release_household_risk(outcome) if outcome.published.kept else None,
        weighted_marginals=() if population is None else marginals(outcome, weighted=True),
        weighted_queries=asked[1],
        weighted_loss=None if population is None else information_loss(outcome, Loss(), weighted=True),
        weighted_dependence=dependence_kept(outcome, weighted=True) if depends and population is not None else None,
    )


def _asked(
    outcome: Outcome, queries: Sequence[Query], *, weighted: bool
) -> tuple[QueryErrors | None, QueryErrors | None]:
    """How well queries are answered, and if there are weights, how well for the population."""
    if not queries:
        return None, None
    return both_query_errors(outcome, queries) if weighted else (query_errors(outcome, queries), None)


def _uniques(outcome: Outcome) -> SpecialUniques | None:
    """Combinations of three columns, or of two where that would take long."""
    names = [attribute.name for attribute in outcome.table.quasi_identifiers]
    if not names:
        return None
    counts, persons = outcome.table.counts.project(names), outcome.table.persons
    if persons is not None:
        persons = persons.merged(*outcome.table.counts.group(names))
    for largest in (3, 2):
        if sum(comb(len(names), size) for size in range(1, largest + 1)) * len(counts) <= _MOST_VISITS:
            return special_uniques(counts, largest=largest, persons=persons)
    return None


def _accuracies(outcome: Outcome, target: str, learners: Sequence[str], seed: int) -> dict[str, Accuracy]:
    """What of the release stems from a fold does not teach how to predict it (SafePub §8.6).

    Of a large table a part is enough: as many records of the release and of the original teach, others of the original
    test, and some of those may be in the release. Where persons are told apart, nobody teaches and is tested; where
    there are weights, tested records count by them.
    """
    table, weights = outcome.table, outcome.table.survey_weights
    if table.total <= _MOST_TAUGHT:
        folds, weighted = min(_FOLDS, table.total if table.persons is None else table.people), weights is not None
        return {
            name: CrossValidation(table, target, LEARNERS[name], folds, seed, weighted=weighted).rate(outcome)
            for name in learners
        }
    rng = np.random.default_rng(seed)
    left = table.total - 2 * _MOST_TAUGHT // _FOLDS
    train, test, _ = parts_of(table, [_MOST_TAUGHT, 2 * _MOST_TAUGHT // _FOLDS, left], rng)
    if weights is not None:  # tested records count by their weights
        test = test * weights.of_record // table.counts.sizes
    published, kept = outcome.published, outcome.published.kept
    taught = random_parts(published.sizes, [min(_MOST_TAUGHT, kept), max(kept - _MOST_TAUGHT, 0)], rng)[0]
    smaller = replace(outcome, published=rows_of(published, taught))
    return {
        name: HeldOut(part(table, train), part(table, test), target, LEARNERS[name], seed=seed).rate(smaller)
        for name in learners
    }
