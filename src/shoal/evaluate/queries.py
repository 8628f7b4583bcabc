"""Counting queries: how many records lie in these ranges? Asked of the original and of the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Codes, Floats
from shoal.data.attribute import Attribute
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.people.survey_weights import SurveyWeights
from shoal.errors import ParameterError, SchemaError, listed
from shoal.evaluate.marginals import present
from shoal.evaluate.posterior import Spread, spread, spreads
from shoal.evaluate.same_table import require_same_columns
from shoal.evaluate.weighted import counted_records
from shoal.kernels import grouping
from shoal.parameters import Seed, read_parameters


@dataclass(frozen=True, slots=True)
class Query:
    """How many records have in each of these columns a leaf from the first to the last one, both included?"""

    ranges: Mapping[str, tuple[int, int]]

    def __post_init__(self) -> None:
        read_parameters(self)

    def __str__(self) -> str:
        return " and ".join(f"{first} <= {name} <= {last}" for name, (first, last) in self.ranges.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Random queries about 1 to 3 columns.

    A *range query* has a range of values in each ordered column, both ends drawn among all values of its domain, and
    one value, that of a random record, in other columns. A *point query* has in each column the value of one and the
    same random record, so that its true answer is never 0. Which columns are asked about is drawn, too: at most
    `combinations` of each number of them.

    Attributes:
        queries: How many.
        columns: The least and the largest number of columns in a query.
        points: The share of point queries.
        combinations: How many different sets of columns of one number may occur; it bounds the time.
        seed: Decides all of it.
    """

    queries: int = 500
    columns: tuple[int, int] = (1, 3)
    points: float = 0.5
    combinations: int = 20
    seed: Seed = 0

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.queries < 1 or self.combinations < 1:
            raise ParameterError("queries and combinations are numbers of 1 or more.")
        if not 1 <= self.columns[0] <= self.columns[1]:
            raise ParameterError(f"columns is the least and the largest number of columns; got {self.columns!r}.")
        if not 0 <= self.points <= 1:
            raise ParameterError(f"points is a share from 0 to 1; got {self.points!r}.")

    def on(self, table: EncodedTable) -> tuple[Query, ...]:
        """The queries of this workload about one table."""
        if table.total == 0:
            raise ParameterError("a table without records cannot be asked; a workload needs at least one record.")
        rng = np.random.default_rng(self.seed)
        names = table.counts.names
        most = min(self.columns[1], len(names))
        sets = {
            number: [sorted(rng.choice(len(names), number, replace=False)) for _ in range(self.combinations)]
            for number in range(min(self.columns[0], most), most + 1)
        }
        numbers = rng.integers(min(sets), most + 1, self.queries)
        which = rng.integers(0, self.combinations, self.queries)
        is_point = rng.random(self.queries) < self.points
        ends = np.cumsum(table.counts.sizes)
        records = np.searchsorted(ends, rng.integers(0, ends[-1], self.queries), side="right")
        queries = []
        for number, chosen, point, record in zip(numbers, which, is_point, records, strict=True):
            ranges = {}
            for i in sets[int(number)][int(chosen)]:
                value = int(table.counts.codes[i][record])
                attribute = table[names[i]]
                is_range = attribute.domain.ordered and not point
                ranges[names[i]] = _range(attribute, rng) if is_range else (value, value)
            queries.append(Query(ranges))
        return tuple(queries)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class QueryErrors:
    """What queries were answered.

    Attributes:
        queries: What was asked.
        truth: The answers of the original.
        answers: The answers of the release: expected numbers of records, to the scale of the original.
        relative: |answer − truth| / max(truth, sanity bound) of each query.
        sanity: The sanity bound, in records, or in people where records count by their weights.
    """

    queries: tuple[Query, ...]
    truth: Floats
    answers: Floats
    relative: Floats
    sanity: float

    def in_people(self, weights: SurveyWeights | None) -> QueryErrors:
        """Numbers of people of the population, where records were counted in units of weights."""
        unit = 1 if weights is None else weights.scale
        return replace(self, truth=self.truth / unit, answers=self.answers / unit, sanity=self.sanity / unit)

    @property
    def mean(self) -> float:
        """The mean relative error."""
        return float(self.relative.mean())

    @property
    def median(self) -> float:
        """The median relative error."""
        return float(np.median(self.relative))

    def of_columns(self, number: int) -> Floats:
        """The relative errors of the queries about so many columns."""
        return self.relative[[len(query.ranges) == number for query in self.queries]]


def query_errors(
    outcome: Outcome,
    queries: Sequence[Query],
    *,
    sanity: float = 0.001,
    scale: float | None = None,
    weighted: bool = False,
) -> QueryErrors:
    """Ask the original and the release; looks at the original, so it is for its owner only.

    The release answers by expectation: a record whose published cells cover a query in part counts as the product of
    the parts, every cell being spread evenly over what it may have been.

    Args:
        outcome: What a method decided.
        queries: What to ask, such as `Workload().on(outcome.table)`.
        sanity: The sanity bound as a share of the records of the original; it keeps queries that hardly any record
            answers from deciding the mean (Garofalakis & Kumar 2005; Xiao et al. 2010 take 0.1%).
        scale: How many records of the original a published one stands for. If not given, as many as make the totals
            equal, so that sampling and suppression alone are no error; 1 compares plain numbers.
        weighted: Whether records count by their weights: how many people of the population lie in these ranges?
    """
    (found,) = errors_of(outcome, queries, [counted_records(outcome, weighted=weighted)], sanity, scale)
    return found.in_people(outcome.table.survey_weights) if weighted else found


def both_query_errors(outcome: Outcome, queries: Sequence[Query]) -> tuple[QueryErrors, QueryErrors]:
    """Records counted once, and by their weights: both for little more than the price of one."""
    ways = [counted_records(outcome, weighted=weighted) for weighted in (False, True)]
    plain, weighed = errors_of(outcome, queries, ways)
    return plain, weighed.in_people(outcome.table.survey_weights)


def errors_of(
    outcome: Outcome,
    queries: Sequence[Query],
    ways: Sequence[tuple[Counts, Counts]],
    sanity: float = 0.001,
    scale: float | None = None,
) -> list[QueryErrors]:
    """What is answered where the same records of the original and of the release are counted in several ways."""
    require_same_columns(outcome)
    if not queries:
        raise ParameterError("there are no queries; give at least one.")
    if not 0 < sanity <= 1:
        raise ParameterError(f"sanity is a share of the records, above 0 and at most 1; got {sanity!r}.")
    for query in queries:
        _check(query, outcome)
    plain: dict[str, Spread] = {name: spread(outcome.table[name], None) for name in outcome.published.names}
    truths = answers_to(queries, [original for original, _ in ways], plain)
    answered = answers_to(queries, [published for _, published in ways], spreads(outcome))
    found = []
    for (original, published), truth, answers in zip(ways, truths, answered, strict=True):
        total, kept = original.total, published.kept
        scaled = answers * ((total / kept if kept else 0.0) if scale is None else scale)
        bound = max(sanity * total, 1e-9)
        relative = np.abs(scaled - truth) / np.maximum(truth, bound)
        found.append(QueryErrors(queries=tuple(queries), truth=truth, answers=scaled, relative=relative, sanity=bound))
    return found


def answers_to(queries: Sequence[Query], ways: Sequence[Counts], by_column: Mapping[str, Spread]) -> Floats:
    """The expected number of records each query finds, where `by_column` says what codes may have been.

    `ways` are the same records counted in several ways; a row of answers for each.
    """
    answers = np.zeros((len(ways), len(queries)))
    asked: dict[tuple[str, ...], list[int]] = {}
    for number, query in enumerate(queries):
        asked.setdefault(tuple(query.ranges), []).append(number)
    for names, numbers in asked.items():
        codes, sizes = _cells(ways, names)  # once for all queries about the same columns
        for number in numbers:
            answers[:, number] = _answer(queries[number], codes, sizes, by_column)
    return answers


def _cells(ways: Sequence[Counts], names: Sequence[str]) -> tuple[dict[str, Codes], Floats]:
    """The different values of some columns, and how many records have each, counted in every way."""
    keys, domain = ways[0].keys(names)
    row = np.full(domain, -1)
    row[keys] = np.arange(len(keys))
    there = np.flatnonzero(row >= 0)
    codes = {name: ways[0].column(name)[row[there]] for name in names}
    return codes, np.stack([grouping.totals(keys, domain, counts.sizes)[there] for counts in ways]).astype(float)


def _answer(query: Query, codes: Mapping[str, Codes], sizes: Floats, by_column: Mapping[str, Spread]) -> Floats:
    rows, part = np.arange(sizes.shape[1]), np.ones(sizes.shape[1])
    for name, (first, last) in query.ranges.items():
        chance = by_column[name].within(first, last, codes[name][rows])
        possible = chance > 0
        rows, part = rows[possible], part[possible] * chance[possible]
    return np.asarray(sizes[:, rows] @ part)


def _range(attribute: Attribute, rng: np.random.Generator) -> tuple[int, int]:
    """Two ends among all values but the missing one."""
    codes = np.flatnonzero(present(attribute))
    if len(codes) == 0:
        return 0, attribute.domain.size - 1
    low, high = np.sort(rng.integers(0, len(codes), 2))
    return int(codes[low]), int(codes[high])


def _check(query: Query, outcome: Outcome) -> None:
    names = outcome.published.names
    for name, (first, last) in query.ranges.items():
        if name not in names:
            raise SchemaError(f"a query asks about {name!r}, which is not among the columns {listed(names, 12)}.")
        leaves = outcome.table.counts.cardinality(name)
        if not 0 <= first <= last < leaves:
            raise ParameterError(
                f"a query asks for the values {first} to {last} of {name!r}; expected first <= last, both from 0 to "
                f"{leaves - 1:,}."
            )
