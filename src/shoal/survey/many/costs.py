"""Which columns matter: by how much each tells people apart, in bits.

A column of entropy b bits parts the table into about 2^b groups. Groups of k people among n leave room for log2(n/k)
bits over all quasi-identifiers together; what they have beyond that is lost. Columns that say the same are counted
twice, so that sums are upper bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from shoal.data.schema import Role
from shoal.survey.looks import Look, Survey
from shoal.survey.many.together import pattern_for
from shoal.survey.names.words import role_by_name


@dataclass(frozen=True, slots=True)
class ColumnCost:
    """What a quasi-identifier costs: bits by which it tells people apart; whether its name says that others know it."""

    name: str
    bits: float
    is_named: bool = False


def bits(look: Look) -> float:
    """The entropy of a column's values, a missing one counted as a value; all records differ if it has too many."""
    if not look.is_complete:
        return log2(max(look.records, 1))
    times = [n for n in (*look.times, look.missing) if n]
    total = sum(times)
    return 0.0 - sum(n / total * log2(n / total) for n in times) if total else 0.0


def column_costs(survey: Survey) -> list[ColumnCost]:
    """The quasi-identifiers, those first that tell people apart most."""
    quasi = [look for look in survey.columns if look.role is Role.QUASI_IDENTIFIER]
    costs = [ColumnCost(look.name, bits(look), role_by_name(look.name) is not None) for look in quasi]
    return sorted(costs, key=lambda cost: -cost.bits)


def room(records: int, k: int) -> float:
    """Bits that groups of k leave to tell."""
    return max(log2(records / k), 0.0) if records else 0.0


def to_give_up(costs: Sequence[ColumnCost], left: float) -> list[ColumnCost]:
    """The costliest columns without which the others have about room, first those that nobody may know outside.

    A name that says so, such as age, speaks for the role; such columns come last.
    """
    given, rest = list[ColumnCost](), sum(cost.bits for cost in costs)
    for cost in sorted(costs, key=lambda cost: (cost.is_named, -cost.bits))[: len(costs) - 1]:
        if rest <= 2 * left:  # columns repeat each other: about half of their bits are news
            break
        given.append(cost)
        rest -= cost.bits
    return given


def summary_lines(survey: Survey, k: int, most: int = 10) -> list[str]:
    """How many columns have each role, which ones matter, and what could be given up."""
    roles = [(role, sum(look.role is role for look in survey.columns)) for role in Role.to_declare()]
    counted = ", ".join(f"{number:,} {role.value}{_ending(role, number)}" for role, number in roles if number)
    lines = [f"{survey.records:,} records, {len(survey.columns):,} columns: {counted}."]
    costs, left = column_costs(survey), room(survey.records, k)
    if not costs:
        return lines
    total = sum(cost.bits for cost in costs)
    lines.append(
        f"The quasi-identifiers tell people apart by up to {total:.0f} bits; groups of {k} leave room for {left:.0f}."
    )
    lines.append(f"Those that matter most, with the bits of each: {_listed(costs, most, with_bits=True)}.")
    if given := to_give_up(costs, left):
        lines.append(
            "Detail is lost wherever they stay: drop what nobody needs, or give another role to what nobody outside "
            f"can know, in this order: {_listed(given, most)}."
        )
    return lines


def _ending(role: Role, number: int) -> str:
    return "s" if number > 1 and "identifier" in role.value else ""


def _listed(costs: Sequence[ColumnCost], most: int, *, with_bits: bool = False) -> str:
    """Columns by their names, those that are called alike together."""
    alike: dict[str, list[ColumnCost]] = {}
    for cost in costs:
        alike.setdefault(pattern_for(cost.name), []).append(cost)
    told = []
    for pattern, members in alike.items():
        name = members[0].name if len(members) == 1 else f"{len(members)} of {pattern}"
        told.append(f"{name} ({members[0].bits:.1f})" if with_bits else name)
    return ", ".join(told[:most]) + (f" and {len(told) - most} more" if len(told) > most else "")
