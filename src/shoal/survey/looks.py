"""One streaming look at a table: what each column holds, and what role it seems to have.

Everything here is a guess for the owner to correct, and computed from the data: for the owner's eyes only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shoal.data.attribute import NUMBER
from shoal.data.domain import Domain
from shoal.data.hierarchies.build import Flat
from shoal.data.people.persons import DistinctCount
from shoal.data.schema import Column, Role, Schema
from shoal.engines.opening import engine_of_frame
from shoal.engines.reading.distinct_values import DistinctValues
from shoal.engines.reading.source import Source
from shoal.errors import DataError
from shoal.progress import Progress, silent
from shoal.survey.guesses.known_lists import is_country_column
from shoal.survey.guesses.roles import guessed_role, with_context
from shoal.survey.kinds import Kind, holdable, kind_of
from shoal.survey.missing_codes import missing_codes
from shoal.survey.names.words import household_name
from shoal.survey.people import with_people
from shoal.survey.tally import MOST_VALUES, Tally

if TYPE_CHECKING:
    import pyarrow as pa

MISSING_TOKENS = ("", "?", ".", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NaT", "<NA>", "NULL", "null", "missing")
"""Texts that are taken to mean a missing value where they occur."""
_NAMIBIA = "NA"


@dataclass(frozen=True, slots=True)
class Look:
    """One column as it was seen, with a guess at its meaning.

    Attributes:
        name: The column.
        kind: What its values are.
        records: Values, missing ones included.
        missing: How many of them are missing.
        distinct: How many distinct values there are, missing left out; at least so many if not `is_complete`.
        is_complete: Whether `values` has every distinct value.
        uniqueness: Distinct values per value that is not missing; of those seen first, if not `is_complete`.
        values: The distinct values as text, in the order they came.
        times: How often each of them occurs.
        domain: The domain that holds them; None if the engine has none for values of this kind.
        largest_share: The share of the most frequent value, a missing one counted as a value.
        role: The role it seems to have.
        reason: Why, in one sentence.
        counted: How often its values repeat; None if that was not counted.
        missing_codes: Numbers that seem to stand for a missing value in this column.
        label: What it is called in words, if something says so.
        declared: Where `domain` and `values` are declared, if they are; else they were seen.
    """

    name: str
    kind: Kind
    records: int
    missing: int = 0
    distinct: int = 0
    is_complete: bool = True
    uniqueness: float = 0.0
    values: tuple[str, ...] = ()
    times: tuple[int, ...] = ()
    domain: Domain | None = None
    largest_share: float = 0.0
    role: Role = Role.QUASI_IDENTIFIER
    reason: str = ""
    counted: DistinctCount | None = None
    missing_codes: tuple[str, ...] = ()
    label: str = ""
    declared: str = ""

    @property
    def repeated(self) -> int | None:
        """How many of its values stand in several records; None if that was not counted."""
        return None if self.counted is None else self.counted.repeated

    @property
    def values_seen(self) -> int:
        """How many different values it has; 0 if they were not counted to the end."""
        return 0 if self.counted is None else self.counted.distinct

    @property
    def average(self) -> float:
        """In how many records a value stands on average."""
        return 0.0 if self.counted is None else self.counted.present / max(self.counted.distinct, 1)

    @property
    def most(self) -> int:
        """In how many records the value stands that stands in most."""
        return 0 if self.counted is None else self.counted.most

    @property
    def missing_share(self) -> float:
        """The share of values that are missing."""
        return self.missing / self.records


@dataclass(frozen=True, slots=True)
class Survey:
    """A table as it was seen."""

    records: int
    missing_tokens: tuple[str, ...]
    columns: tuple[Look, ...]


def survey(
    source: Source,
    progress: Progress = silent,
    most_values: int = MOST_VALUES,
    missing: Sequence[str] = MISSING_TOKENS,
) -> Survey:
    """Look at every column in one pass; memory grows with the distinct values of a column, up to `most_values`.

    Texts among `missing` are taken for missing values where they occur.

    A second pass counts which values of identifiers repeat, if there were too many to be remembered.
    """
    types = source.types()
    plain = [name for name, kind in types.items() if _is_plain(kind)]
    tallies = {name: Tally(name, missing, most_values) for name in plain}
    records = 0
    for batch, done in source.batches(plain or list(types)):
        records += batch.num_rows
        for name, tally in tallies.items():
            tally.add(batch.column(name))
        progress("looking at the table", done)
    if records == 0:
        raise DataError("the table has no records; give one with at least one.")
    found = {label for tally in tallies.values() for label in tally.counts()}
    found -= {_NAMIBIA} if _is_country(_NAMIBIA, tallies) else set()
    tokens = tuple(token for token in missing if token in found or not token)
    columns = tuple(_look(tallies[name], tokens) if name in tallies else _nested(name, records) for name in types)
    return Survey(records, tokens, with_people(_with_repeated(with_context(columns), source, tokens, progress)))


def _is_country(code: str, tallies: Mapping[str, Tally]) -> bool:
    """Whether a text is the code of a country wherever it occurs, and no missing value."""
    having = [tally.counts() for tally in tallies.values() if code in tally.counts()]
    return bool(having) and all(is_country_column(tuple(counts)) for counts in having)


def _with_repeated(
    columns: tuple[Look, ...], source: Source, tokens: Collection[str], progress: Progress
) -> tuple[Look, ...]:
    """The looks, identifiers with too many values to be remembered counted by another pass."""
    names = [
        look.name
        for look in columns
        if look.counted is None and (look.role is Role.IDENTIFIER or household_name(look.name))
    ]
    watched = {name: DistinctValues(tokens) for name in names}
    for batch, done in source.batches(names, names) if names else ():
        for name, values in watched.items():
            values.add(batch.column(name))
        progress("comparing identifiers", done)
    seen = {name: values.count() for name, values in watched.items()}
    return tuple(replace(look, counted=seen[look.name]) if look.name in seen else look for look in columns)


def guess_schema(frame: Any) -> Schema:
    """Roles guessed as `shoal init` does, for a frame of any kind; domains are left to be observed.

    Whole numbers that name things are kept or hidden, and never joined as if they had an order.
    """
    engine, _ = engine_of_frame(frame)
    return Schema(
        tuple(
            Column(look.name, look.role, hierarchy=Flat() if _is_named(look) else None)
            for look in survey(engine).columns
        )
    )


def _is_named(look: Look) -> bool:
    """Whether values are numbers that name things, of a column that is made coarser."""
    is_number = all(map(NUMBER.fullmatch, look.values))
    return look.role is Role.QUASI_IDENTIFIER and look.kind is Kind.CATEGORIES and bool(look.values) and is_number


def _is_plain(kind: pa.DataType) -> bool:
    import pyarrow as pa

    held = kind.value_type if pa.types.is_dictionary(kind) else kind
    is_binary = pa.types.is_binary(held) or pa.types.is_large_binary(held) or pa.types.is_fixed_size_binary(held)
    return not (pa.types.is_nested(held) or is_binary)


def _nested(name: str, records: int) -> Look:
    reason = "lists, records or bytes cannot be generalized: dropped until split into columns"
    return Look(name, Kind.OTHER, records, is_complete=False, role=Role.DROPPED, reason=reason)


def _look(tally: Tally, tokens: Collection[str]) -> Look:
    counts = tally.counts()
    missing = tally.nulls + sum(counts.get(token, 0) for token in tokens)
    codes = missing_codes({v: n for v, n in counts.items() if v not in tokens}) if tally.is_complete else ()
    missing += sum(counts[code] for code in codes)
    values = tuple(v for v in counts if v not in tokens and v not in codes) if tally.is_complete else ()
    kind, domain = kind_of(tally.name, values) if tally.is_complete else (Kind.of(tally.domain), holdable(tally.domain))
    most = max((counts[value] for value in values), default=0) / tally.records
    look = Look(
        tally.name,
        kind,
        tally.records,
        missing=missing,
        distinct=len(values) if tally.is_complete else tally.distinct,
        is_complete=tally.is_complete,
        uniqueness=len(values) / max(tally.records - missing, 1) if tally.is_complete else tally.uniqueness,
        values=values,
        times=tuple(counts[value] for value in values),
        domain=domain,
        largest_share=max(most, tally.largest_share, missing / tally.records),
        counted=_counted([counts[value] for value in values]) if tally.is_complete else None,
        missing_codes=codes,
    )
    role, reason = guessed_role(look)
    return replace(look, role=role, reason=reason)


def _counted(times: list[int]) -> DistinctCount:
    return DistinctCount(sum(times), len(times), sum(n > 1 for n in times), max(times, default=0))
