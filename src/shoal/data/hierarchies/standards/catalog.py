"""What ready-made hierarchies there are, with their sources and licenses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from shoal.data.hierarchies.standards.rules import RULES
from shoal.errors import HierarchyError, nearest


@dataclass(frozen=True, slots=True)
class Entry:
    """One ready-made hierarchy.

    Attributes:
        name: How release files call it.
        title: What it is a list of, with an example.
        levels: What a value is, and what it becomes level by level, without the root that hides it.
        codes: How many values it lists; None for a rule, which fits whatever values a domain has.
        source: Where it comes from.
        license: On what ground it is given on.
    """

    name: str
    title: str
    levels: tuple[str, ...]
    codes: int | None
    source: str
    license: str


def table_file(name: str) -> Traversable:
    """A file of the package's folder of tables."""
    return files("shoal.data.hierarchies.standards") / "tables" / name


@cache
def catalog() -> Mapping[str, Entry]:
    """All of them by name: lists first, then rules."""
    listed = json.loads(table_file("manifest.json").read_text(encoding="utf-8"))
    entries = [Entry(name, **{**about, "levels": tuple(about["levels"])}) for name, about in listed.items()]
    rules = [
        Entry(name, rule.title, rule.levels, rule.codes, rule.source, "a rule, no list of codes")
        for name, rule in RULES.items()
    ]
    return {entry.name: entry for entry in [*entries, *rules]}


def entry_named(name: str) -> Entry:
    """The hierarchy called so."""
    known = catalog()
    if name not in known:
        raise HierarchyError(
            f"{name!r} is not a standard hierarchy; expected one of {', '.join(known)}.{nearest(name, list(known))}"
        )
    return known[name]
