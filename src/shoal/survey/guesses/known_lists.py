"""Which ready-made hierarchy the values of a column fit: country codes, states, diagnoses, industries.

Codes that are mere numbers fit many lists by luck (the years 2011 to 2013 are industries), so that the name has to
speak for them; names and letters need no word, if there are enough of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from shoal.data.hierarchies.standards.catalog import catalog
from shoal.data.hierarchies.standards.code_table import CodeTable
from shoal.data.hierarchies.standards.standard import Standard
from shoal.data.hierarchies.standards.tables import code_table
from shoal.survey.names import vocabulary as known
from shoal.survey.names.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.survey.looks import Look

_SHARE = 0.95
"""Of the values that have to be on a list."""
_ENOUGH = 6
"""Values that need no word in the name: `NO` and `SI` are countries too."""


@dataclass(frozen=True, slots=True)
class _List:
    """A list, how its values are written, and words of names that speak for it."""

    name: str
    form: re.Pattern[str]
    hints: frozenset[str]
    needs_hint: bool = False
    levels: tuple[str, ...] = ("",)


_LISTS = (
    _List("us-state", re.compile(r"[A-Z]{2}"), known.STATES),
    _List("country-alpha2", re.compile(r"[A-Z]{2}"), known.COUNTRIES),
    _List("country-alpha3", re.compile(r"[A-Z]{3}"), known.COUNTRIES),
    _List("us-state-name", re.compile(r"[A-Z][a-z]+( [A-Za-z]+)*"), known.STATES),
    _List("country-name", re.compile(r"[A-ZÅ][^\d]+"), known.COUNTRIES),
    _List("icd10cm", re.compile(r"[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?"), known.DIAGNOSES, levels=("category", "")),
    _List("naics2022", re.compile(r"\d{2,6}|\d\d-\d\d"), known.INDUSTRIES, needs_hint=True,
          levels=("", "five digits", "four digits", "subsector", "sector")),
    *(
        _List(name, re.compile(r"[A-V]|\d{2}(\.?\d{1,2})?"), known.INDUSTRIES, needs_hint=True,
              levels=("", "group", "division", "section"))
        for name in ("nace2", "nace21", "isic4", "isic5")
    ),
    _List("us-state-fips", re.compile(r"\d{2}"), frozenset(("fips", "state")), needs_hint=True),
    _List("isced2011", re.compile(r"[0-8]"), frozenset(("isced",)), needs_hint=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fit:
    """A list that values fit, with those that are not on it."""

    standard: Standard
    table: CodeTable
    unknown: tuple[str, ...]

    @property
    def title(self) -> str:
        """What the list is of."""
        return catalog()[self.standard.standard].title


def fitting_list(look: Look) -> Fit | None:
    """The list that all values are on, or nearly all; of several one that the name speaks for, then the best fit."""
    values = look.values
    if len(values) < 2:
        return None
    parts = set(words(look.name))
    found = [(fit, bool(parts & listed.hints)) for listed in _LISTS for fit in _fits(listed, values, parts)]
    enough = [(fit, is_named) for fit, is_named in found if is_named or len(values) >= _ENOUGH]
    return max(enough, key=lambda one: (not one[0].unknown, one[1], -len(one[0].unknown)), default=(None,))[0]


def is_country_column(values: Sequence[str]) -> bool:
    """Whether values are country codes of two letters, and enough of them that NA is Namibia."""
    known_codes = code_table("country-alpha2").places
    return len(values) > _ENOUGH and sum(value in known_codes for value in values) >= _SHARE * len(values)


def _fits(listed: _List, values: Sequence[str], parts: set[str]) -> Iterator[Fit]:
    if listed.needs_hint and not parts & listed.hints:
        return
    if not all(listed.form.fullmatch(value.strip()) for value in islice(values, 10)):
        return
    for level in listed.levels:
        for dots in (True, False):
            if not dots and listed.name not in ("icd10cm", "nace2", "nace21"):
                continue
            table = code_table(listed.name, level, dots=dots)
            unlisted = tuple(value for value in values if value not in table.places)
            if len(unlisted) <= (1 - _SHARE) * len(values):
                yield Fit(Standard(listed.name, level or None, dots=dots), table, unlisted)
                return
