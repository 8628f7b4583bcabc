"""A first look at a table, as `shoal init` has it: a release file with guesses, and what there is to see."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

from shoal.data.domain import Dates, Grid
from shoal.data.people.persons import DistinctCount
from shoal.data.schema import Role
from shoal.engines.base import Engine
from shoal.engines.lazy.addresses import LAKES, Address, is_url
from shoal.engines.opening import engine_at
from shoal.engines.reading.layout import Layout
from shoal.errors import ParameterError, ShoalError
from shoal.examples import write_example
from shoal.files.together import place_files
from shoal.pipeline import encoded
from shoal.plan.plan import Plan
from shoal.progress import Progress
from shoal.risk import special_uniques
from shoal.risk.special_uniques import MOST_COMBINATIONS
from shoal.serve.work.blocks import block
from shoal.survey.looks import MISSING_TOKENS, Look, Survey, survey
from shoal.survey.propose import described, propose
from shoal.survey.tally import Tally
from shoal.survey.writing import Writing, writing_of

RELEASE_FILE = "release.toml"
_BEFORE = ("delimiter", "encoding", "sheet", "labels")
"""What has to be known before cells can be looked at."""
_BARS = 24
_MOST_SKETCHED = 5_000
"""Distinct values that a sketch counts."""
_MOST_LISTED = 500
"""Distinct values of a column that somebody would read in a field."""
_MOST_VISITS = 40_000_000
"""Distinct records times combinations of columns that are looked at: a few seconds."""


def look(folder: str, name: str, told: dict[str, Any], *, progress: Progress) -> dict[str, Any]:
    """Look at an uploaded table, and write a release file with guesses beside it.

    `told` are keys of [data] about how the file is written, which are not to be guessed.
    """
    base = Path(folder)
    missing = tuple(told.get("missing", MISSING_TOKENS))
    writing = _writing(base / name, told, missing)
    source = engine_at(base / name, layout=writing.layout)
    seen = survey(source, progress, missing=missing)
    place_files(base, propose(seen, name, RELEASE_FILE, writing, patterns=False), force=True)
    return _seen(base, source, seen, progress)


def _writing(path: Path, told: dict[str, Any], missing: tuple[str, ...]) -> Writing:
    """How a file is written: as told, and where nothing is, as it seems."""
    said = {key: value for key, value in told.items() if key != "missing"}
    found = writing_of(path, Layout(**{key: said[key] for key in _BEFORE if key in said}), missing)
    why = {key: reason for key, reason in found.why.items() if key not in said}
    return replace(found, layout=replace(found.layout, **said), why=why)


def look_at(folder: str, url: str, table: str | None, query: str | None, *, progress: Progress) -> dict[str, Any]:
    """Look at a table of a database, and write a release file with guesses; the table stays where it is."""
    base = Path(folder)
    source = engine_at(_address(url, table, query))
    seen = survey(source, progress)
    files = propose(seen, url, RELEASE_FILE, Writing(), table=table, query=query, patterns=False)
    place_files(base, files, force=True)
    return _seen(base, source, seen, progress)


def _address(url: str, table: str | None, query: str | None) -> Address:
    if not is_url(url):
        raise ParameterError("this is no address of a database; expected one such as postgresql://host/database.")
    address = Address(url, table, query)
    if address.scheme in LAKES:
        raise ParameterError(f"{address.place} is read by Spark alone; use `shoal run --engine spark`.")
    if address.file is not None and not address.file.is_absolute():
        raise ParameterError(
            f"{address.place} does not say where the file is; write its whole path, such as "
            f"{address.scheme}:///home/me/people.db."
        )
    return address


def example(folder: str, *, progress: Progress) -> dict[str, Any]:
    """Write the bundled example with its release file, and look at it."""
    base = Path(folder)
    source = Plan.load(write_example(base, force=True)).data.engine()
    return _seen(base, source, survey(source, progress), progress)


def reopen(folder: str, *, progress: Progress) -> dict[str, Any]:
    """Look at a table for which a release file was brought: nothing is guessed."""
    base = Path(folder)
    data = Plan.load(base / RELEASE_FILE).data
    source = data.engine()
    return _seen(base, source, survey(source, progress, missing=data.missing), progress)


def original_rows(folder: str, start: int, *, progress: Progress) -> dict[str, Any]:
    """Some rows of the table as it is; for its owner."""
    del progress
    source = Plan.load(Path(folder) / RELEASE_FILE).data.engine()
    return block(source, list(source.types()), start)


def _seen(base: Path, source: Engine, seen: Survey, progress: Progress) -> dict[str, Any]:
    return {
        "records": seen.records,
        "columns": _columns(source, seen, progress),
        "singled_out": _singled_out(base / RELEASE_FILE, progress),
        "head": block(source, list(source.types()), 0),
        "text": (base / RELEASE_FILE).read_text(encoding="utf-8"),
    }


def _columns(source: Engine, seen: Survey, progress: Progress) -> list[dict[str, Any]]:
    sketched = [
        one.name
        for one in seen.columns
        if one.is_complete and 0 < one.distinct <= _MOST_SKETCHED and one.role.is_published
    ]
    tallies = {name: Tally(name, MISSING_TOKENS) for name in sketched}
    for batch, done in source.batches(sketched) if sketched else ():
        for name, tally in tallies.items():
            tally.add(batch.column(name))
        progress("sketching distributions", done)
    return [
        {
            "name": one.name,
            "kind": one.kind.value,
            "described": described(one),
            "role": one.role.value,
            "reason": one.reason,
            "distinct": one.distinct,
            "is_complete": one.is_complete,
            "missing": one.missing_share,
            "domain": _as_declared(one),
            "each": _each(one.counted) if one.role in (Role.PERSON, Role.HOUSEHOLD, Role.IDENTIFIER) else None,
            "sketch": _sketch(one, tallies[one.name].counts()) if one.name in tallies else [],
        }
        for one in seen.columns
    ]


def _as_declared(one: Look) -> dict[str, Any] | None:
    """The values that were seen, as a release file would declare them."""
    match one.domain:
        case Grid() as grid:
            low, high = (_number(end) for end in grid.labels([0, grid.steps]))
            return {"from": low, "to": high, "step": _number(str(grid.number(grid.step)))}
        case Dates() as dates:
            return {"from": dates.first, "to": dates.last}
        case _:
            is_short = one.is_complete and 0 < one.distinct <= _MOST_LISTED
            return {"values": sorted(one.values)} if is_short else None


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def _each(counted: DistinctCount | None) -> dict[str, float] | None:
    """In how many records the values of an identifier stand."""
    if counted is None:
        return None
    return {"average": counted.present / max(counted.distinct, 1), "most": counted.most, "repeated": counted.repeated}


def _sketch(one: Look, counts: dict[str, int]) -> list[tuple[str, int]]:
    """How often values occur: numbers and days in intervals, others one by one, the most frequent first."""
    known = {value: counts.get(value, 0) for value in one.values}
    match one.domain:
        case Grid() as grid:
            low, high = (float(end) for end in grid.labels([0, grid.steps]))
            return _binned([(float(value), times) for value, times in known.items()], low, high)
        case Dates() as dates:
            first, last = dates.first.toordinal(), dates.last.toordinal()
            days = [(float(dates.first.fromisoformat(value).toordinal()), times) for value, times in known.items()]
            bars = _binned(days, first, last)
            return [(dates.first.fromordinal(round(float(label))).isoformat(), times) for label, times in bars]
        case _:
            return sorted(known.items(), key=lambda pair: (-pair[1], pair[0]))[:_BARS]


def _binned(values: list[tuple[float, int]], low: float, high: float) -> list[tuple[str, int]]:
    width = (high - low) / _BARS or 1.0
    bars = [0] * _BARS
    for value, times in values:
        bars[min(int((value - low) / width), _BARS - 1)] += times
    return [(f"{low + number * width:g}", times) for number, times in enumerate(bars)]


def _singled_out(release_file: Path, progress: Progress) -> dict[str, Any]:
    """Which combinations of the columns taken for quasi-identifiers single people out."""
    try:
        plan = Plan.load(release_file).supposing_one_record_each()
        table = encoded(plan.data.engine(), plan.schema, plan.method, progress)
    except ShoalError as error:
        return {"why_not": str(error)}
    names = [attribute.name for attribute in table.quasi_identifiers]
    counts, persons = table.counts.project(names), table.persons
    if persons is not None:
        persons = persons.merged(*table.counts.group(names))
    for largest in (3, 2, 1):
        combinations = sum(comb(len(names), size) for size in range(1, largest + 1))
        if names and combinations <= MOST_COMBINATIONS and combinations * len(counts) <= _MOST_VISITS:
            found = special_uniques(counts, largest=largest, persons=persons, progress=progress)
            return {
                "largest": found.largest,
                "alone": found.alone,
                "total": found.records,
                "share": found.share,
                "unit": found.unit.plural,
                "combinations": [(list(one.columns), one.records) for one in found.combinations[:12]],
            }
    return {"why_not": "there are too many columns and different records to look at every combination."}
