"""Which role a column seems to have, and why: by its name, by how its values are written, by how unlike they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.data.attribute import NUMBER
from shoal.data.domain import Grid
from shoal.data.schema import Role
from shoal.survey.guesses.known_lists import fitting_list
from shoal.survey.guesses.patterns import are_person_names, is_free_text, pattern_of
from shoal.survey.kinds import Kind
from shoal.survey.names.topics import AMONG_HEALTH, HEALTH
from shoal.survey.names.words import (
    is_comment_name,
    is_numbering_name,
    is_person_word,
    is_running_name,
    role_by_name,
    words,
)

if TYPE_CHECKING:
    from shoal.survey.looks import Look

_NEARLY_UNIQUE = 0.95
_FEWEST_RECORDS = 10
"""Uniqueness says nothing about a table smaller than this."""
_MANY_PERSONS = 50
_ENOUGH_HEALTH = 2
"""Columns about health that make those about something unsaid speak of it, too."""
_COORDINATES = frozenset(("lat", "latitude", "lon", "lng", "longitude"))
_EXACT = 3
"""Decimals of a degree that tell houses apart."""
_YES_OR_NO = frozenset(("yes", "no", "y", "n", "true", "false", "t", "f", "ja", "nein", "oui", "non", "si"))
_TESTED = frozenset((
    "positive", "negative", "pos", "neg", "equivocal", "indeterminate", "inconclusive", "reactive", "nonreactive",
    "non-reactive", "detected", "not detected", "positiv", "negativ", "positif", "negatif", "positivo", "negativo",
))  # fmt: skip


def guessed_role(look: Look) -> tuple[Role, str]:
    """The role and why; when nothing speaks for another one, quasi-identifier."""
    meaning = role_by_name(look.name)
    by_name, word = (None, "") if meaning is None else (meaning.role, meaning.word)
    if by_name is Role.IDENTIFIER and not _tells_few(look):
        return Role.IDENTIFIER, f"the name says {word!r}: it points at one person and is dropped"
    if is_person_word(look.name) and look.distinct >= _FEWEST_RECORDS and look.kind is not Kind.DATES:
        return Role.IDENTIFIER, f"the name says {look.name!r}, and there are many: it points at one and is dropped"
    if written := pattern_of(look.kind, look.values):
        return Role.IDENTIFIER, f"its values are written as {written}: they point at one person and are dropped"
    if look.kind is Kind.CATEGORIES and by_name is not Role.QUASI_IDENTIFIER and are_person_names(look.values):
        return Role.IDENTIFIER, "its values are names of persons, by the given names in them: they are dropped"
    is_unique = look.records - look.missing >= _FEWEST_RECORDS and look.uniqueness >= _NEARLY_UNIQUE
    if is_unique and look.kind is Kind.CATEGORIES and by_name is not Role.QUASI_IDENTIFIER:
        return Role.IDENTIFIER, "nearly every record has a text of its own: it can point at one person and is dropped"
    if look.kind is Kind.CATEGORIES and is_free_text(look.values):
        return Role.IDENTIFIER, "free text, which may name persons and cannot be generalized: it is dropped"
    if look.kind is Kind.CATEGORIES and is_comment_name(look.name) and not _tells_few(look):
        return Role.IDENTIFIER, "the name says that people wrote what they liked, which may name persons: it is dropped"
    if not look.is_complete and not (look.kind in (Kind.NUMBERS, Kind.DATES) and look.domain is not None):
        return Role.IDENTIFIER, f"more than {look.distinct:,} different values: too many to generalize, dropped"
    if is_unique and _is_exact_place(look):
        return Role.IDENTIFIER, "a place to within meters, nearly everybody's own: it points at a home and is dropped"
    if by_name is Role.SENSITIVE and look.kind is not Kind.DATES:
        assert meaning is not None  # it says so
        topic = "" if meaning.topic is None else f" ({meaning.topic.name}: {meaning.topic.source})"
        return Role.SENSITIVE, f"the name says {word!r}{topic}: nobody should learn it about a person"
    if by_name is Role.QUASI_IDENTIFIER:
        return Role.QUASI_IDENTIFIER, f"the name says {word!r}: others may know it about a person"
    if delicate := _delicate(look):
        return Role.SENSITIVE, f"{delicate}: nobody should learn it about a person"
    if is_unique and (_is_running_number(look) or (is_running_name(look.name) and look.kind is Kind.NUMBERS)):
        return Role.IDENTIFIER, "nearly every record has a number of its own, as identifiers do: it is dropped"
    if is_numbering_name(look.name) and _repeat_evenly(look):
        return Role.IDENTIFIER, f"the name says {look.name!r}, and each number stands in about as many records"
    if is_unique:
        return Role.QUASI_IDENTIFIER, "nearly every record has a value of its own: whoever knows it finds the record"
    return Role.QUASI_IDENTIFIER, "nothing says what it means: taken for known to others, to be careful"


def with_context(columns: Sequence[Look]) -> tuple[Look, ...]:
    """The looks, with columns taken for sensitive whose names speak of health among others that plainly do."""
    plain = [look for look in columns if look.role is Role.SENSITIVE and _topic(look) == HEALTH]
    if len(plain) < _ENOUGH_HEALTH:
        return tuple(columns)
    return tuple(_among_health(look) for look in columns)


def _among_health(look: Look) -> Look:
    if look.role is not Role.QUASI_IDENTIFIER or role_by_name(look.name) is not None or look.kind is Kind.DATES:
        return look
    word = next((word for word in words(look.name) if word in AMONG_HEALTH), None)
    if word is None:
        return look
    reason = f"the name says {word!r}, and other columns speak of health: nobody should learn it about a person"
    return replace(look, role=Role.SENSITIVE, reason=reason)


def _topic(look: Look) -> str:
    meaning = role_by_name(look.name)
    return "" if meaning is None or meaning.topic is None else meaning.topic.name


def _delicate(look: Look) -> str | None:
    """What values say by themselves about a delicate topic."""
    plain = {value.strip().casefold() for value in look.values[: len(_TESTED) + 1]}
    if len(plain) > 1 and plain <= _TESTED:
        return "its values are results of a test (health)"
    fit = fitting_list(look) if look.kind in (Kind.CATEGORIES, Kind.CODES) else None
    if fit is not None and fit.standard.standard == "icd10cm":
        return "its values are diagnoses of ICD-10-CM (health)"
    return None


def _tells_few(look: Look) -> bool:
    """Yes and no, or a handful of numbers in many records each: `mobile_developer` is nobody's telephone."""
    plain = {value.strip().casefold() for value in look.values[:_FEWEST_RECORDS]}
    is_few = look.is_complete and look.distinct < _FEWEST_RECORDS and look.average >= _FEWEST_RECORDS
    return is_few and (plain <= _YES_OR_NO or all(map(NUMBER.fullmatch, plain)))


def _is_exact_place(look: Look) -> bool:
    """Degrees with so many decimals that they tell houses apart."""
    if _COORDINATES.isdisjoint(words(look.name)) or look.kind is not Kind.NUMBERS:
        return False
    return look.domain is None or (isinstance(look.domain, Grid) and look.domain.decimals >= _EXACT)


def _repeat_evenly(look: Look) -> bool:
    """Whole numbers of which each stands in about as many records, as persons do who are asked again and again."""
    is_whole = isinstance(look.domain, Grid) and look.domain.is_whole
    return is_whole and look.distinct >= _MANY_PERSONS and look.most <= 3 * look.average


def _is_running_number(look: Look) -> bool:
    """Consecutive whole numbers, or numbers of seven digits and more that are all different."""
    domain, present = look.domain, look.records - look.missing
    if isinstance(domain, Grid) and not domain.decimals and domain.step == 1 and domain.steps < 1.1 * present:
        return True
    lengths = {len(value) for value in look.values}
    return look.distinct == present and len(lengths) == 1 and min(lengths) >= 7 and all(map(str.isdigit, look.values))
