"""Which columns say who a record is about: what tells persons and households apart, and what weights are.

Like every guess of a survey it is for the owner to correct, and the reason stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.data.domain import Grid
from shoal.data.schema import ROW, Role
from shoal.survey.kinds import Kind, numbers_otherwise
from shoal.survey.names.vocabulary import PARTS_OF_NAMES
from shoal.survey.names.words import (
    Named,
    household_name,
    is_numbering_name,
    is_person_word,
    person_name,
    role_by_name,
    weight_name,
)
from shoal.survey.toml_text import comment, text

if TYPE_CHECKING:
    from shoal.survey.looks import Look

_MOST_MEMBERS = 20
"""Records of a household on average, above which values are no households; times those of a person."""
_FEWEST_PERSONS = 20
"""Different values, below which a column tells no persons apart: there would be no crowd to hide in."""
_LARGE_WEIGHT = 1000
"""What a column that is called weight and no more reaches if it counts people: what bodies weigh is below."""


def with_people(columns: Sequence[Look]) -> tuple[Look, ...]:
    """The looks, with the roles of what tells persons and households apart and of weights, where columns seem such."""
    looks = {look.name: _weighed(look) for look in columns}
    person = _person(list(looks.values()))
    if person is not None:
        looks[person.name] = person
    each = 1.0 if person is None else person.average
    for look in list(looks.values()):
        looks[look.name] = _housed(look, each, has_persons=person is not None)
    if person is None:
        looks = {look.name: _shared(look, list(looks.values())) for look in looks.values()}
    return _once(list(looks.values()))


def people_lines(columns: Sequence[Look]) -> list[str]:
    """What a release file says of persons, households and weights: proposed, or proposed behind a #."""
    lines = [_person_line(columns)]
    for role in (Role.HOUSEHOLD, Role.WEIGHT):
        lines += [f"{role.value} = {text(look.name)}{comment(look.reason)}" for look in columns if look.role is role]
        if role is Role.HOUSEHOLD and any(look.role is role for look in columns):
            lines.append(f'# protect = "household"{comment("to protect whole households: k counts them then")}')
    return lines


def repeats(look: Look) -> str:
    """How often an identifier repeats, in words."""
    times = look.repeated or 0
    return f"{times:,} value{'s' * (times > 1)} of {look.name} stand{'s' * (times == 1)} in several records"


def _person_line(columns: Sequence[Look]) -> str:
    """The column that tells persons apart, or one record for each where an identifier speaks for it."""
    person = next((look for look in columns if look.role is Role.PERSON), None)
    if person is not None:
        return f"person = {text(person.name)}{comment(person.reason)}"
    identifiers = [look for look in columns if look.role is Role.IDENTIFIER and look.records > look.missing]
    repeating = [look for look in identifiers if look.repeated]
    line = f"person = {text(ROW)}"
    if any(look.name == ROW for look in columns):
        return f"# {line}{comment(f'means each record, and not the column {ROW}: give that another name first')}"
    if repeating:
        which = f"person = {text(repeating[0].name)}"
        why = f"if it tells persons apart, remove the #: {repeats(repeating[0])}, so that persons may have several"
        return f"# {which}{comment(why)}"
    if not identifiers:
        return f"# {line}{comment('if each record is another person, remove the #; no identifier says so')}"
    names = ", ".join(look.name for look in identifiers)
    return f"{line}{comment(f'each record is another person: no value of {names} repeats. Is it so?')}"


def _person(looks: Sequence[Look]) -> Look | None:
    """The identifier of persons whose values repeat; of several the one with fewest values, which divides nobody."""
    found = [
        look
        for look in looks
        if look.role is Role.IDENTIFIER and look.repeated and not look.missing and person_name(look.name)
        if look.values_seen >= min(_FEWEST_PERSONS, look.records // 2)
    ]
    if not found:
        return None
    look = min(found, key=lambda look: look.values_seen)
    return replace(look, role=Role.PERSON, reason=f"tells persons apart: {_how_often(look)}; not published")


def _housed(look: Look, each: float, *, has_persons: bool) -> Look:
    """A column that is called so, and whose values repeat as the members of households do."""
    if look.role in (Role.PERSON, Role.WEIGHT) or not household_name(look.name) or not look.values_seen:
        return look
    if look.average > _MOST_MEMBERS * each or look.values_seen < 2:
        return look
    if look.missing or not (has_persons or look.repeated):
        return replace(look, role=Role.IDENTIFIER, reason="the name says household: it points at one and is dropped")
    return replace(look, role=Role.HOUSEHOLD, reason=f"tells households apart: {_how_often(look)}; not published")


def _shared(look: Look, looks: Sequence[Look]) -> Look:
    """An identifier whose values repeat, merely dropped where that says nothing of persons: no release is refused then.

    Several persons may have one name; that is no reason for doubt where another identifier tells all records apart.
    """
    if look.role is not Role.IDENTIFIER or not look.repeated:
        return look
    alone = [one.name for one in looks if one.role is Role.IDENTIFIER and one.repeated == 0 and not one.missing]
    if alone:
        why = f"{look.reason}; values repeat, and {alone[0]} tells all records apart"
        return replace(look, role=Role.DROPPED, reason=why)
    by_name = role_by_name(look.name)
    if by_name is not None and by_name.word in PARTS_OF_NAMES:
        return replace(look, role=Role.DROPPED, reason=f"{look.reason}; values repeat, as such names do")
    is_numbered = (by_name is not None and by_name.role is Role.IDENTIFIER) or "written as" in look.reason
    if is_numbered or is_person_word(look.name) or is_numbering_name(look.name):
        return look
    return replace(look, role=Role.DROPPED, reason=f"{look.reason}; values repeat, and nothing says that persons do")


def _weighed(look: Look) -> Look:
    """A column that is called so, and whose values could count people."""
    named = weight_name(look.name)
    if named is Named.NOT or look.kind is not Kind.NUMBERS:
        return look
    least, most = _range(look)
    if named is Named.PERHAPS and not (most is not None and most >= _LARGE_WEIGHT):
        return look
    if look.missing or (least is not None and least < 1):
        what = "missing" if look.missing else "below 1, so that they do not count people"
        reason = (
            f"a survey weight by its name, but some are {what}: dropped; mend them, and name it as weight in [data]"
        )
        return replace(look, role=Role.DROPPED, reason=reason)
    reason = "how many of the population a record stands for, by its name and size; not published"
    return replace(look, role=Role.WEIGHT, reason=reason)


def _once(looks: list[Look]) -> tuple[Look, ...]:
    """A table has one column of households and one of weights: of several candidates the first; others are dropped."""
    taken: set[Role] = set()
    settled = []
    for look in looks:
        is_more = look.role in (Role.HOUSEHOLD, Role.WEIGHT) and look.role in taken
        taken.add(look.role)
        why = f"another column is proposed as {look.role.value}: dropped"
        settled.append(replace(look, role=Role.DROPPED, reason=why) if is_more else look)
    return tuple(settled)


def _range(look: Look) -> tuple[float | None, float | None]:
    if isinstance(look.domain, Grid):
        least, most = look.domain.labels([0, look.domain.steps])
        return float(least), float(most)
    numbers = numbers_otherwise(look.values) if look.values else None
    return (float(min(numbers)), float(max(numbers))) if numbers else (None, None)


def _how_often(look: Look) -> str:
    """How many values there are, and in how many records each stands."""
    average = f"{look.average:,.1f}".removesuffix(".0")
    return (
        f"{look.values_seen:,} different values in {look.records - look.missing:,} records, "
        f"{average} each on average and {look.most:,} at most"
    )
