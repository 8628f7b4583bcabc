"""The columns of a release file: role, domain and hierarchy as TOML says them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from shoal.data.domain import Categorical, Dates, Domain, Grid, Origin
from shoal.data.hierarchies.build import Balanced, DateLevels, Flat, Intervals, Recipe
from shoal.data.hierarchies.files import from_csv, from_edges
from shoal.data.hierarchies.paths import Nested, Paths, Prefixes, tree_paths
from shoal.data.hierarchies.standards.standard import Standard
from shoal.data.schema import Column, Pseudonyms, Role, Schema, role_named
from shoal.engines.reading.layout import LAST_SHORT_YEAR, PLAIN, ColumnLayout, Layout
from shoal.errors import ParameterError, PlanError, ShoalError, nearest
from shoal.plugins import Registry, from_table

_DOMAINS = {"values": ("ordered",), "digits": (), "from": ("to", "step")}
"""What makes a domain, and what may stand beside it."""

_CODING = ("top", "bottom", "round")
"""How numbers are made coarser before all else."""

_OF_ROLES = ("hierarchy", "domain", "unlinkable", *_CODING)
"""What has a meaning with some roles only."""

RECIPES = Registry(
    "shoal.hierarchies",
    "hierarchy",
    {
        "intervals": Intervals,
        "prefixes": Prefixes,
        "dates": DateLevels,
        "ordering": Balanced,
        "balanced": Balanced,
        "tree": Paths,
        "edges": Paths,
        "flat": Flat,
        "standard": Standard,
    },
    Recipe,
)
"""What makes a hierarchy, by the key of its table."""


def parse_column(name: str, table: Any, folder: Path, where: str, notes: list[str] | None = None) -> Column:
    """The column of one table of the release file; paths are relative to `folder`, `where` is for messages.

    Lines that have no meaning with the column's role are left out, each with a sentence in `notes`: a role can be
    changed without the rest of the table.
    """
    here = f"{where}, [columns.{name}]"
    if not isinstance(table, Mapping):
        raise PlanError(f'{here}: expected a table such as [columns.{name}] with role = "quasi-identifier".')
    keys = ("role", "domain", "hierarchy", "missing", "unlinkable", "pseudonym", "dates", "labels", *_CODING)
    known_keys(table, keys, here)
    if "role" not in table:
        roles = ", ".join(role.value for role in Role.to_declare())
        raise PlanError(f"{here}: the role is missing; expected one of {roles}.")
    try:
        role = role_named(string_at(table, "role", here))
        table = _useful(table, role, name, [] if notes is None else notes)
        domain, observed, confirmed = _domain(table.get("domain"), here)
        missing = isinstance(table.get("missing"), list) or _flag(table, "missing", here)
        unlinkable = _flag(table, "unlinkable", here)
        return Column(
            name,
            role,
            domain,
            _recipe(table["hierarchy"], folder, here) if "hierarchy" in table else None,
            missing=missing,
            observed=observed,
            confirmed=confirmed,
            unlinkable=unlinkable,
            pseudonym=_pseudonym(table.get("pseudonym", False), here),
            **{key: _number(table, key, here) for key in _CODING if key in table},
        )
    except PlanError:
        raise
    except ShoalError as error:
        raise type(error)(f"{here}: {error}") from None


def column_layouts(tables: Mapping[str, Any], schema: Schema, layout: Layout, where: str) -> tuple[ColumnLayout, ...]:
    """How the cells of each column are written, where that is said or follows from its values being names."""
    found = [
        _column_layout(name, table, schema[name], layout, f"{where}, [columns.{name}]")
        for name, table in tables.items()
        if layout != PLAIN or "dates" in table or "labels" in table or isinstance(table.get("missing"), list)
    ]
    return tuple(own for own in found if own != ColumnLayout(own.name))


def _column_layout(name: str, table: Mapping[str, Any], column: Column, layout: Layout, here: str) -> ColumnLayout:
    dates, missing = table.get("dates", []), table.get("missing")
    recipe = column.hierarchy
    values = column.domain or (None if recipe is None else recipe.leaves())
    names = values.values if isinstance(values, Categorical) and layout.number() is not None else ()
    try:
        return ColumnLayout(
            name,
            tuple(strings([dates] if isinstance(dates, str) else dates, f"{here} dates")),
            tuple(strings(missing, f"{here} missing")) if isinstance(missing, list) else (),
            _flag(table, "labels", here) if "labels" in table else None,
            names,
            _last_year(column.domain if dates else None),
        )
    except ParameterError as error:
        raise PlanError(f"{here}: {error}") from None


def _last_year(domain: Domain | None) -> int:
    """The last year that two digits may mean: a day beyond the declared ones is not meant."""
    return min(domain.last.year, LAST_SHORT_YEAR) if isinstance(domain, Dates) else LAST_SHORT_YEAR


def _pseudonym(value: Any, here: str) -> Pseudonyms | None:
    words: dict[bool | str, Pseudonyms | None] = {False: None, True: Pseudonyms.RELEASE}
    words |= {kind.value: kind for kind in Pseudonyms}
    if not isinstance(value, bool | str) or value not in words:
        raise PlanError(f'{here}: pseudonym is true, "release" or "linked"; got {value!r}.')
    return words[value]


def _number(table: Mapping[str, Any], key: str, here: str) -> Decimal:
    if not is_number(table[key]):
        raise PlanError(f"{here}: {key} is a number; got {table[key]!r}.")
    return Decimal(str(table[key]))


def _useful(table: Mapping[str, Any], role: Role, name: str, notes: list[str]) -> Mapping[str, Any]:
    """What a table says that has a meaning with the role; what has none is noted."""
    useless = [key for key in _OF_ROLES if key in table and not _is_useful(key, table[key], role)]
    notes += [f"{key} of column {name!r} has no use with the role {role.value!r} and is ignored." for key in useless]
    return {key: value for key, value in table.items() if key not in useless}


def _is_useful(key: str, value: Any, role: Role) -> bool:
    if key in _CODING:
        return role.is_published  # of what is published as it is, they would be missed
    if key == "unlinkable":
        return role is Role.INSENSITIVE
    only_of_hierarchy = key == "hierarchy" or (isinstance(value, Mapping) and _DOMAINS.keys().isdisjoint(value))
    return role.is_counted or not only_of_hierarchy  # such a domain only says where the hierarchy's values come from


def _domain(value: Any, here: str) -> tuple[Domain | None, bool, bool]:
    """The domain, whether it was observed, and whether the owner has confirmed what was."""
    if value is None:
        return None, False, False
    if isinstance(value, list):
        return Categorical(tuple(strings(value, f"{here} domain"))), False, False
    here = f"{here} domain"
    if not isinstance(value, Mapping):
        raise PlanError(
            f"{here}: expected a list of values or a table such as {{ from = 17, to = 90 }}; got {value!r}."
        )
    known_keys(value, ("from", "to", "step", "values", "ordered", "digits", "observed", "confirmed"), here)
    observed, confirmed = _flag(value, "observed", here), _flag(value, "confirmed", here)
    if observed and confirmed:
        raise PlanError(
            f"{here}: it is observed, or confirmed, and not both; `shoal declare` confirms what is observed."
        )
    given = [key for key in value if key not in ("observed", "confirmed")]
    kind = next((kind for kind in _DOMAINS if kind in given), None)
    stray = [key for key in given if kind is None or key not in (kind, *_DOMAINS[kind])]
    if stray:
        beside = f"{kind!r}" if kind else "nothing that makes a domain"
        raise PlanError(
            f"{here}: {stray[0]!r} has no meaning beside {beside}; expected values, digits, or from and to."
        )
    domain = None if kind is None else _named_domain(kind, value, here)
    if domain is not None and observed:
        domain = replace(domain, origin=Origin.OBSERVED)
    return domain, observed, confirmed


def _named_domain(kind: str, table: Mapping[str, Any], here: str) -> Domain:
    if kind == "values":
        return Categorical(tuple(strings(table["values"], f"{here} values")), ordered=_flag(table, "ordered", here))
    if kind == "digits":
        if not _is_whole(table["digits"]) or not 1 <= table["digits"] <= 6:
            raise PlanError(f"{here}: digits is a whole number from 1 to 6; got {table['digits']!r}.")
        return digits(table["digits"])
    if "to" not in table:
        raise PlanError(f"{here}: from and to go together; to is missing.")
    low, high = _day(table["from"]), _day(table["to"])
    if low is None or high is None:
        return Grid.between(table["from"], table["to"], table.get("step", 1))
    if "step" in table:
        raise PlanError(f"{here}: days have no step; remove it.")
    return Dates(low, high)


@lru_cache(maxsize=1)  # a million codes, and a release file is read more than once
def digits(count: int) -> Categorical:
    """All codes of so many digits, such as zip codes: 00000 to 99999."""
    return Categorical(tuple(map(f"%0{count}d".__mod__, range(10**count))))


def _recipe(value: Any, folder: Path, here: str) -> Recipe:
    if isinstance(value, str) and value:
        return from_csv(folder / value)
    here = f"{here} hierarchy"
    makers: dict[str, Callable[[Any], Recipe]] = {
        "intervals": lambda widths: Intervals(_decimals(widths, here), _decimal(value.get("origin", 0), here)),
        "prefixes": lambda keep: Prefixes(() if keep is True else _whole_numbers(keep, here)),
        "dates": lambda units: DateLevels(tuple(strings(units, here))),
        "ordering": lambda values: Balanced(tuple(strings(values, here)), _fanout(value.get("fanout", 2), here)),
        "balanced": lambda fanout: Balanced(fanout=_fanout(fanout, here)),
        "tree": lambda tree: tree_paths(_nested(tree, here), here),
        "edges": lambda _: from_edges(folder / string_at(value, "edges", here)),
        "flat": lambda _: Flat(),
        "standard": lambda _: from_table(Standard, "standard", value),
    }
    kinds = [key for key in value if key in RECIPES] if isinstance(value, Mapping) else []
    if len(kinds) != 1:
        raise PlanError(
            f"{here}: expected the path of a CSV file or a table with one of {', '.join(RECIPES)}."
            + (nearest(next(iter(value)), list(RECIPES)) if isinstance(value, Mapping) and value else "")
        )
    brought = RECIPES[kinds[0]]
    if kinds[0] not in makers:
        known_keys(value, kinds, here)
        given = {} if value[kinds[0]] is True else value[kinds[0]]
        if not isinstance(given, Mapping):
            raise PlanError(f"{here}: {kinds[0]} is a table of its parameters, or true without any; got {given!r}.")
        recipe: Recipe = from_table(brought, kinds[0], given)
        return recipe
    extras = {"intervals": ("origin",), "ordering": ("fanout",), "standard": ("level", "dots")}
    known_keys(value, (kinds[0], *extras.get(kinds[0], ())), here)
    if kinds[0] == "flat" and value["flat"] is not True:
        raise PlanError(f"{here}: flat is true or left out; got {value['flat']!r}.")
    return makers[kinds[0]](value[kinds[0]])


def known_keys(table: Mapping[str, Any], known: Sequence[str], here: str) -> None:
    """Refuse a key that has no meaning, with the nearest that has."""
    for key in table:
        if key not in known:
            raise PlanError(f"{here}: {key!r} is not known here; expected {', '.join(known)}.{nearest(key, known)}")


def string_at(table: Mapping[str, Any], key: str, here: str) -> str:
    """A text that is not empty."""
    if not isinstance(table.get(key), str) or not table[key]:
        raise PlanError(f"{here}: {key} must be a text; got {table.get(key)!r}.")
    if "\0" in table[key]:
        raise PlanError(f"{here}: {key} holds a NUL, which no name and no path does.")
    return str(table[key])


def strings(values: Any, here: str) -> list[str]:
    """A list of values, as text; a truth value is written as in TOML."""
    if not isinstance(values, list) or not all(isinstance(value, str | int | float) for value in values):
        raise PlanError(f"{here}: expected a list of values; got {values!r}.")
    return [str(value).lower() if isinstance(value, bool) else str(value) for value in values]


def _flag(table: Mapping[str, Any], key: str, here: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise PlanError(f"{here}: {key} is true or false; got {value!r}.")
    return value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value of TOML is a finite number."""
    return _is_whole(value) or (isinstance(value, float) and isfinite(value))


def _decimal(value: Any, here: str) -> Decimal:
    if not is_number(value):
        raise PlanError(f"{here}: origin is a number; got {value!r}.")
    return Decimal(str(value))


def _decimals(widths: Any, here: str) -> tuple[Decimal, ...]:
    if not isinstance(widths, list) or not all(is_number(value) for value in widths):
        raise PlanError(f"{here}: intervals are a list of widths, such as [5, 10, 20]; got {widths!r}.")
    return tuple(Decimal(str(width)) for width in widths)


def _whole_numbers(lengths: Any, here: str) -> tuple[int, ...]:
    if not isinstance(lengths, list) or not all(_is_whole(value) for value in lengths):
        raise PlanError(f"{here}: prefixes are a list of lengths, such as [4, 3, 2], or true; got {lengths!r}.")
    return tuple(lengths)


def _fanout(value: Any, here: str) -> int:
    if not _is_whole(value):
        raise PlanError(f"{here}: neighbors are joined by a whole number, such as 5; got {value!r}.")
    return int(value)


def _nested(value: Any, here: str) -> Nested:
    if isinstance(value, list) and all(isinstance(leaf, str) for leaf in value):
        return value
    if isinstance(value, Mapping):
        return {str(name): _nested(below, here) for name, below in value.items()}
    raise PlanError(f"{here}: a tree is made of tables and lists of texts; got {value!r}.")


def _day(value: Any) -> dt.date | None:
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    if isinstance(value, str):
        try:
            return dt.date.fromisoformat(value)
        except ValueError:
            return None
    return None
