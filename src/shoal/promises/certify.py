"""certified(): what a release may say about itself."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from importlib.metadata import version
from typing import Any, get_type_hints

import numpy as np

from shoal.audit.overlap import audit_overlap
from shoal.criteria import Closeness, Criterion, Distance
from shoal.criteria.base import unit_of
from shoal.criteria.reference import needs_input
from shoal.criteria.registry import to_dict
from shoal.data.attribute import Attribute
from shoal.data.domain import Origin
from shoal.data.encoded import Cap, EncodedTable
from shoal.data.hierarchies.marks import Mark
from shoal.data.outcome import Outcome
from shoal.data.people.persons import ONE_RECORD_EACH
from shoal.data.schema import Column, Pseudonyms, Role, Schema
from shoal.data.shown import Distributions, titles
from shoal.data.unit import Unit
from shoal.methods import Method
from shoal.methods.parts.pricing import Priced
from shoal.parameters.words import options_of
from shoal.promises.certificate import Certificate
from shoal.promises.guarantee import PUBLIC, Basis, Guarantee
from shoal.promises.verify import Verdict
from shoal.quality import QualityModel
from shoal.quality.registry import QUALITY_MODELS

_SYNTACTIC = (
    "the quasi-identifiers are all that others may know about a person",
    ONE_RECORD_EACH,
    "it is a property of this table alone, not differential privacy: further releases about the same people add up",
)

_BY_INPUT = (
    "held when the release was made; it cannot be checked from the published files, because the values of the table "
    "that it was made from are not published: together with the published ones they would give away those of the "
    "records left out"
)


_BY_PERSONS = (
    "held when the release was made; it cannot be checked from the published files, which do not say whose records are "
    "whose"
)


_BY_POPULATION = (
    "held when the release was made; it cannot be checked from the published files, which have neither the population "
    "nor the weights of records"
)


def _why_unchecked(criterion: Criterion) -> str:
    if getattr(criterion, "needs_owner", False):
        return _BY_POPULATION
    return _BY_PERSONS if unit_of(criterion) is not Unit.RECORD else _BY_INPUT


def certified(
    schema: Schema,
    made: Priced,
    outcome: Outcome,
    verdicts: Sequence[Verdict],
    *,
    is_seeded: bool,
    overruled: tuple[str, ...] = (),
) -> Certificate:
    """What may be said to everybody about what a method decided, and about what was verified of it.

    Of a test run, whose coins anybody who knows the seed can toss again, nothing: it protects nobody. `overruled` are
    identifiers that repeat, although the owner affirms one record for each person.
    """
    table, method = outcome.table, made.method
    draws = method.tosses_coins or schema.pseudonym or table.capped is not None
    is_test = is_seeded and draws
    facts, overlaps, proved = made.facts(), method.needs_overlap_audit, made.guarantees(outcome)
    assumptions = list(_SYNTACTIC if method.cost is None else _SYNTACTIC[:2])
    about_columns = _about_columns(schema, table, verdicts)
    assumptions += [about.text for about in about_columns]
    if method.cost is None:  # what is so of the table is so for what is not verified, too
        of_table = [about.text for about in about_columns if about.is_of_table]
        proved = tuple(replace(guarantee, assumptions=(*guarantee.assumptions, *of_table)) for guarantee in proved)
    checkable = [verdict for verdict in verdicts if not needs_input(verdict.criterion)]
    criteria = () if is_test else tuple({**to_dict(v.criterion), "reached": v.reached} for v in checkable)
    verified = [Guarantee(v.criterion.statement, Basis.VERIFIED, tuple(assumptions)) for v in checkable]
    claimed = [
        Guarantee(v.criterion.statement, Basis.CLAIMED, (*assumptions, _why_unchecked(v.criterion)))
        for v in verdicts
        if needs_input(v.criterion)
    ]
    unit = schema.unit  # whom it is all about comes first; what follows for records, which anybody can check, after it
    promised = (*proved, *verified, *claimed) if unit is Unit.RECORD else (*proved, *claimed, *verified)
    persons = _persons_assumption(schema, table.capped, overruled)
    seen_first, published = _seen_first(schema), [column for column in schema if column.role.is_published]
    return Certificate(
        method=method.name,
        parameters=written_parameters(method, facts),
        guarantees=() if is_test else _with_assumptions(promised, persons, seen_first),
        criteria=criteria,
        columns=_columns(published, outcome, verdicts),
        records=outcome.published.kept,
        version=version("shoal"),
        reading=method.reading,
        findings=tuple(str(finding) for finding in audit_overlap(outcome)) if overlaps else (),
        seeded=is_test,
        unit=schema.unit,
        max_records=made.records,
        date=dt.date.today().isoformat(),  # noqa: DTZ011  the day where it was made
    )


@dataclass(frozen=True)
class _AboutColumns:
    """An assumption about some columns; nothing is assumed where there are none.

    Attributes:
        columns: Their names.
        text: What a certificate says.
        is_of_table: Whether it is so of the table, and not of what was verified: then it goes with every promise.
    """

    columns: Sequence[str]
    text: str
    is_of_table: bool = False


def _about_columns(schema: Schema, table: EncodedTable, verdicts: Sequence[Verdict]) -> list[_AboutColumns]:
    """What promises about a table assume of its columns."""
    protected = {_column_of(verdict.criterion) for verdict in verdicts}
    observed = [a.name for a in table.attributes if a.domain.origin is Origin.OBSERVED]
    unprotected = [a.name for a in table.sensitive if a.name not in protected]
    changed = [a.name for a in table.attributes if a.role is Role.PERTURBED]
    passed = [column.name for column in schema if column.role is Role.INSENSITIVE]
    unlinkable = [column.name for column in schema if column.unlinkable]
    keyed = [column.name for column in schema if column.role is Role.KEYED]
    joined = [column.name for column in schema if column.role is Role.KEYED and column.pseudonym is Pseudonyms.LINKED]
    about = [
        _AboutColumns(observed, f"domains taken from the data: {', '.join(observed)}", is_of_table=True),
        _AboutColumns(
            unprotected,
            f"nothing is promised about the sensitive values of {', '.join(unprotected)}: a class may hold only one",
        ),
        _AboutColumns(
            changed, f"changed by chance and not among the quasi-identifiers counted here: {', '.join(changed)}"
        ),
        _AboutColumns(passed, insensitive_assumption(passed), is_of_table=True),
        _AboutColumns(
            keyed,
            "published as pseudonyms, one for each record, made with a key that its owner keeps secret: whoever has it "
            f"knows whose records are whose: {', '.join(keyed)}",
            is_of_table=True,
        ),
        _AboutColumns(
            joined,
            "the same pseudonyms stand in other releases with the same key: whoever has several can join them, and "
            f"what they show of a person together is not counted here: {', '.join(joined)}",
            is_of_table=True,
        ),
        _AboutColumns(
            unlinkable,
            f"nobody outside can know whose values they are, as the owner affirms: {', '.join(unlinkable)}",
            is_of_table=True,
        ),
    ]
    return [one for one in about if one.columns]


def _with_assumptions(
    promised: Sequence[Guarantee], persons: str, seen_first: Sequence[tuple[str, str]]
) -> tuple[Guarantee, ...]:
    """The promises with what the owner affirms about persons, and about values first seen in the data.

    Where a promise rests on public domains, that sentence tells of its exceptions; else they are told by themselves.
    """
    exceptions = " or ".join(f"{why} ({names})" for why, names in seen_first)
    public = f"{PUBLIC}, but for values first taken from it which the owner {exceptions}" if exceptions else PUBLIC
    rests_on_domains = any(text.endswith(PUBLIC) for guarantee in promised for text in guarantee.assumptions)
    others = [f"values first taken from the data, which the owner {why}: {names}" for why, names in seen_first]
    found = []
    for guarantee in promised:
        texts = [persons if text == ONE_RECORD_EACH else text for text in guarantee.assumptions]
        texts = [f"{text.removesuffix(PUBLIC)}{public}" if text.endswith(PUBLIC) else text for text in texts]
        texts += [] if persons in texts else [persons]
        found.append(replace(guarantee, assumptions=(*texts, *([] if rests_on_domains else others))))
    return tuple(found)


def _seen_first(schema: Schema) -> list[tuple[str, str]]:
    """Why values that were taken from the data count as declared all the same, and of which columns they are."""
    whys = {Mark.CONFIRMED: "confirmed to be public knowledge", Mark.EDITED: "has edited, and so declared"}
    columns = {why: ", ".join(c.name for c in schema if c.mark is mark) for mark, why in whys.items()}
    return [(why, names) for why, names in columns.items() if names]


def _column_of(criterion: Criterion) -> str | None:
    column: str | None = getattr(criterion, "column", None)
    return column


def _columns(published: Sequence[Column], outcome: Outcome, verdicts: Sequence[Verdict]) -> tuple[dict[str, Any], ...]:
    """What a certificate says about what is published."""
    drawn = [a for a in outcome.table.attributes if a.role is Role.PSEUDONYM]
    return (
        *(description for column in published for description in _published_columns(column, outcome, verdicts)),
        *({"name": attribute.name, "role": attribute.role.value} for attribute in drawn),
    )


def _published_columns(column: Column, outcome: Outcome, verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """What a certificate says about a column; about each of those it is spread over."""
    description, shown = _published_column(column, outcome, verdicts), outcome.shown.get(column.name)
    if not (isinstance(shown, Distributions) and shown.as_columns):
        return [description]
    return [description | {"name": title} for title in titles(outcome.table[column.name], shown)]


def _published_column(column: Column, outcome: Outcome, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    table = outcome.table
    role = table[column.name].role if column.name in outcome.published.names else column.role
    description: dict[str, Any] = {"name": column.name, "role": role.value}
    description |= {key: str(end) for key in ("bottom", "top", "round") if (end := getattr(column, key)) is not None}
    if role is Role.QUASI_IDENTIFIER and outcome.recoding is not None:
        description |= outcome.recoding.description(table[column.name])
    if any(_measures_distance(verdict.criterion, column.name) for verdict in verdicts):
        description |= _distances(table[column.name], outcome)
    return description


def _measures_distance(criterion: Criterion, column: str) -> bool:
    is_near = isinstance(criterion, Closeness) and criterion.distance is not Distance.EQUAL
    return is_near and _column_of(criterion) == column


def _distances(attribute: Attribute, outcome: Outcome) -> dict[str, Any]:
    """What a reader needs to measure distances between sensitive values again: their order and their paths.

    Of an observed domain only published values are named, and groups of values are numbered: a name of a group may be
    made of values that only suppressed records have.
    """
    is_declared = attribute.domain.origin is Origin.DECLARED
    leaves = np.arange(attribute.domain.size) if is_declared else np.unique(outcome.published.column(attribute.name))
    levels, blank = [], "(blank)"
    while blank in attribute.labels(attribute.hierarchy.up[0, leaves]):
        blank = f"({blank})"
    for level, nodes in enumerate(attribute.hierarchy.up[:, leaves]):
        labels = [label or blank for label in attribute.labels(nodes)]
        groups = [f"group {number + 1}" for number in np.unique(nodes, return_inverse=True)[1].tolist()]
        levels.append(labels if is_declared or level == 0 else groups)
    paths = [list(path) for path in zip(*levels, strict=True)]
    missing = [paths[i][0] for i, leaf in enumerate(leaves.tolist()) if leaf == attribute.domain.missing]
    description = {"ordered": attribute.domain.ordered, "paths": paths} | ({"missing": missing[0]} if missing else {})
    is_blank = "" in attribute.labels(attribute.hierarchy.up[0, leaves]) and missing != [blank]
    return description | ({"blank": blank} if is_blank else {})  # a text without characters is not a missing value


def _persons_assumption(schema: Schema, cap: Cap | None, overruled: tuple[str, ...] = ()) -> str:
    """What a certificate says about records and persons: taken for granted, affirmed, or affirmed against the table."""
    unit = schema.unit
    if unit is not Unit.RECORD:
        apart = (
            f"the column that tells {unit.plural} apart, which is not published, has one value for each {unit.value}"
        )
        if schema.pseudonym:
            drawn = "" if cap is None else f"; at most {cap.records} records of each took part, drawn at random"
            return (
                f"{apart}; published records of one {unit.value} carry the same pseudonym, drawn at random, and others "
                f"may know all their records{drawn}"
            )
        if cap is not None:
            records = "one record" if cap.records == 1 else f"at most {cap.records} records"
            return f"{apart}, of whom {records} took part, drawn at random"
        return (
            f"{apart}; others know one record of a {unit.value} at most, and nothing published says which records "
            "belong together"
        )
    if overruled:
        return f"{ONE_RECORD_EACH}, as the owner affirms although values repeat in {', '.join(overruled)}"
    return ONE_RECORD_EACH if schema.person is None else f"{ONE_RECORD_EACH}, as the owner affirms"


def insensitive_assumption(passed: Sequence[str]) -> str:
    """What is said of columns that are published as they were."""
    return f"declared insensitive and published as they are: {', '.join(passed)}"


def released_parameters(made: Priced) -> dict[str, Any]:
    """The parameters of a method, and the numbers that follow from them for whom it protects."""
    return written_parameters(made.method, made.facts())


def written_parameters(method: Method, facts: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The parameters of a method, and the numbers that follow from them, as a certificate has them."""
    written: dict[str, Any] = {}
    types = get_type_hints(type(method))
    for field in fields(method):  # type: ignore[arg-type]
        value = getattr(method, field.name)
        if isinstance(value, QualityModel):
            written[field.name] = QUALITY_MODELS.name_of(value)
            written |= {f.name: getattr(value, f.name) for f in fields(value) if getattr(value, f.name)}  # type: ignore[arg-type]
        elif isinstance(value, Enum):
            written[field.name] = value.value
        elif isinstance(value, tuple):
            written[field.name] = [_written_part(part) for part in value]
        elif Method in options_of(types[field.name]) and value is not None:
            written[field.name] = {"name": value.name, **written_parameters(value)}
        else:
            written[field.name] = float(value) if isinstance(value, Fraction | Decimal) else value
    written |= method.facts() if facts is None else facts
    return {key: value for key, value in written.items() if value not in (None, [])}


def _written_part(part: Any) -> Any:
    """One of several parts of a parameter: a name, a number, a list of them, a table, or a criterion."""
    if isinstance(part, str | int):
        return part
    if isinstance(part, tuple):
        return [_written_part(inner) for inner in part]
    if isinstance(part, Mapping):
        return dict(part)
    return part.to_dict() if hasattr(part, "to_dict") else to_dict(part)
