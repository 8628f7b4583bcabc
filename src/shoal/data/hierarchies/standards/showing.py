"""Ready-made hierarchies to look at: their rows, the top of the tree, and one value all the way up."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from shoal.data.attribute import Attribute
from shoal.data.domain import Categorical, Dates, Domain, Grid
from shoal.data.hierarchies.standards.rules import RULES
from shoal.data.hierarchies.standards.standard import Standard
from shoal.data.schema import Role
from shoal.errors import HierarchyError

_SHOWN = 30
_SAMPLE = 4


def hierarchy_rows(standard: Standard) -> tuple[tuple[str, ...], ...]:
    """A row per value as hierarchy files have them: the value, then what it becomes, the root last."""
    domain = standard.leaves()
    if domain is None:
        raise HierarchyError(
            f"the hierarchy {standard.standard!r} is a rule and lists no values; write your own as the domain of the "
            "column, and it fits them."
        )
    return _rows(standard, domain)


def drawn(standard: Standard) -> list[str]:
    """The top of the tree with how many values each group has, and below its first groups a sample; a line each."""
    domain = standard.leaves() or _example(RULES[standard.standard].example)
    rows = _rows(standard, domain)
    return ["*", *_branches(rows, len(rows[0]) - 2, "", _SHOWN)]


def _branches(rows: Sequence[tuple[str, ...]], level: int, indent: str, most: int) -> list[str]:
    groups: dict[str, list[tuple[str, ...]]] = {}
    for row in rows:
        groups.setdefault(row[level], []).append(row)
    lines = []
    shown = list(groups.items())[:most]
    for number, (name, members) in enumerate(shown):
        is_last = number == len(groups) - 1
        count = f" ({len(members):,})" if level and members[0][0] != name else ""
        lines.append(f"{indent}{'└── ' if is_last else '├── '}{name}{count}")
        below = level - 1
        while below > 0 and all(row[below] == name for row in members):  # the same group on the level below
            below -= 1
        if number == 0 and below >= 0 and members[0][0] != name:
            lines += _branches(members, below, indent + ("    " if is_last else "│   "), _SAMPLE)
    if len(groups) > len(shown):
        lines.append(f"{indent}└── and {len(groups) - len(shown):,} more")
    return lines


def _rows(standard: Standard, domain: Domain) -> tuple[tuple[str, ...], ...]:
    domain, hierarchy = standard.build(domain, "")
    return rows_of(Attribute("", Role.QUASI_IDENTIFIER, domain, hierarchy))


def rows_of(attribute: Attribute) -> tuple[tuple[str, ...], ...]:
    """A row per value of a column: the value, then what it becomes, the root last."""
    return tuple(zip(*(attribute.labels(nodes) for nodes in attribute.hierarchy.up), strict=True))


def _example(values: Sequence[str]) -> Domain:
    if all(map(str.isdigit, values)) and len(values[0]) == 4 and values[0] < "2100":
        return Grid.between(values[0], values[-1])
    if all(len(value) == 10 for value in values):
        return Dates(dt.date.fromisoformat(values[0]), dt.date.fromisoformat(values[-1]))
    return Categorical(tuple(values))
