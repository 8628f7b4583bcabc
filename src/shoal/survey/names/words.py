"""What a column's name says about its role, by the words of `vocabulary` and the topics of `topics`.

A guess for the owner to correct. Whole words count, written apart or together (`dateofbirth`), and beginnings long
enough not to be part of something else: `birthcontrol` is no date of birth.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from enum import Enum
from functools import cache
from typing import NamedTuple

from shoal.data.schema import Role
from shoal.survey.names import vocabulary as known
from shoal.survey.names.topics import PHRASES, TOPICS, Topic, topic_named


def words(name: str) -> list[str]:
    """`Date_of-birthYear` as date, of, birth, year: lower case, without accents or digits.

    Example:
        >>> words("PatientID"), words("Código postal"), words("zip5"), words("D.O.B.")
        (['patient', 'id'], ['codigo', 'postal'], ['zip'], ['dob'])
    """
    joined = re.sub(r"\b(?:[A-Za-z]\.){2,}(?:[A-Za-z]\b)?", lambda found: found[0].replace(".", "") + " ", _plain(name))
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", joined)
    return [part for word in re.findall(r"[^\W\d_]+", parted.casefold()) for part in _parted(word)]


def _plain(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


@cache
def _vocabulary() -> frozenset[str]:
    sensitive = (word for topic in TOPICS for word in topic.words)
    return frozenset(word for word in (*known.ALL, *sensitive) if len(word) > 2) | known.GLUE


@cache
def _parted(word: str) -> tuple[str, ...]:
    """Words that were written together, the longest first ones that leave known words only; else the word itself."""
    if word in _vocabulary() or len(word) < 5:
        return (word,)
    ends = (end for end in range(len(word) - 2, 1, -1) if word[:end] in _vocabulary())
    for end in ends:
        rest = _parted(word[end:]) if word[end:] not in _vocabulary() else (word[end:],)
        if all(part in _vocabulary() for part in rest):
            return (word[:end], *rest)
    return (word,)


class Named(Enum):
    """Whether a name says something."""

    NOT = 0
    PERHAPS = 1
    PLAINLY = 2


def person_name(name: str) -> bool:
    """Whether a name is that of what tells persons apart: an identifier of persons, and not their name or phone."""
    parts = set(words(name))
    is_known = bool(parts & known.IDENTIFIERS) or _points_at_person(parts - known.FILLERS)
    is_known = is_known or is_person_word(name) or is_numbering_name(name)
    return is_known and not parts & known.NOT_PERSONS and not household_name(name)


def is_person_word(name: str) -> bool:
    """Whether a name is one word for a person: `Subject`."""
    parts = words(name)
    return len(parts) == 1 and parts[0] in known.PERSONS_ALONE


def household_name(name: str) -> bool:
    """Whether a name is that of what tells households apart."""
    parts = set(words(name))
    rest = parts - known.HOUSEHOLDS
    if not parts & known.HOUSEHOLDS or rest - known.ID_WORDS - known.NUMBER_WORDS:
        return False
    return bool(rest) or not parts <= known.HOUSEHOLDS_WITH_ID


def weight_name(name: str) -> Named:
    """Whether a name is that of survey weights."""
    parts = set(words(name))
    if parts & known.WEIGHTS or (parts & known.WEIGHTS_ALONE and parts & known.SURVEYS):
        return Named.PLAINLY if not parts - known.WEIGHTS - known.WEIGHTS_ALONE - known.SURVEYS else Named.NOT
    return Named.PERHAPS if parts and parts <= known.WEIGHTS_ALONE else Named.NOT


def is_code_name(name: str) -> bool:
    """Whether a name says that its values are codes whose first characters mean most, such as zip codes."""
    return not known.CODES.isdisjoint(words(name))


class Meaning(NamedTuple):
    """What a name says: the role it suggests, the word that does, and of what delicate topic it is."""

    role: Role
    word: str
    topic: Topic | None = None


def role_by_name(name: str) -> Meaning | None:
    """The role a name suggests; None if it says nothing.

    A name that suggests both a quasi-identifier and a sensitive value, such as `age_at_diagnosis`, is taken for the
    former: that one is generalized, the latter published as it is.
    """
    parts = words(name)
    joined = " ".join(parts)
    if found := _identifier(parts, joined):
        return Meaning(Role.IDENTIFIER, found)
    if phrase := next((phrase for phrase in PHRASES if _within(phrase, joined)), None):
        return Meaning(Role.SENSITIVE, phrase, topic_named(PHRASES[phrase]))
    if found := _first(parts, known.QUASI, known.QUASI_STEMS) or _inside(name, known.QUASI_IN):
        return Meaning(Role.QUASI_IDENTIFIER, found)
    for word in parts:
        for topic in TOPICS:
            if word in topic.words or any(map(word.startswith, topic.stems)):
                return Meaning(Role.SENSITIVE, word, topic)
    if found := _first(parts, known.WEAK_QUASI):
        return Meaning(Role.QUASI_IDENTIFIER, found)
    return None


def is_comment_name(name: str) -> bool:
    """Whether a name says that people wrote what they liked."""
    return not known.COMMENTS.isdisjoint(words(name))


def is_running_name(name: str) -> bool:
    """Whether a name says that values number the records, if they are as many: `Unnamed: 0`, `rownames`."""
    parts = words(name)
    return not parts or (len(parts) == 1 and parts[0] in known.RUNNING)


def is_nominal_name(name: str) -> bool:
    """Whether a name says that whole numbers name things, such as answers and types, and count or rank nothing."""
    parts = set(words(name))
    return bool(parts & known.NOMINAL) and not parts & known.AMOUNTS


def is_place_name(name: str) -> bool:
    """Whether a name says that whole numbers stand for places or trades, of which there are many."""
    parts = set(words(name))
    return bool(parts & known.PLACES) and not parts & known.AMOUNTS


def is_numbering_name(name: str) -> bool:
    """Whether a name says that values number persons: `nr`."""
    parts = words(name)
    return len(parts) == 1 and parts[0] in known.NUMBERED_PERSONS


def _identifier(parts: list[str], joined: str) -> str | None:
    """The words that say that a column points at a person."""
    if set(parts) & known.MEASURES:
        return None
    phrase = next((phrase for phrase in known.IDENTIFIER_PHRASES if _within(phrase, joined)), None)
    if found := phrase or _first(parts, known.IDENTIFIERS) or _inside(joined, known.IDENTIFIERS_IN):
        return found
    plain = set(parts) - known.FILLERS
    return joined if plain and _points_at_person(plain) else None


def _points_at_person(parts: set[str]) -> bool:
    rest = parts - known.ID_WORDS - known.PERSONS
    is_named = bool(parts & known.ID_WORDS) and not rest
    return is_named or (bool(parts & known.PERSONS) and bool(rest) and rest <= known.NUMBER_WORDS)


def _first(parts: list[str], listed: Collection[str], stems: tuple[str, ...] = ()) -> str | None:
    return next((word for word in parts if word in listed or any(map(word.startswith, stems))), None)


def _within(phrase: str, joined: str) -> bool:
    return f" {phrase} " in f" {joined} "


def _inside(name: str, parts: tuple[str, ...]) -> str | None:
    plain = _plain(name)
    return next((part for part in parts if _plain(part) in plain), None)
