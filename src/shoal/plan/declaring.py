"""declare(): the owner confirms that values taken from the data are public knowledge."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.data.domain import Dates, Domain, Grid
from shoal.data.hierarchies.files import confirmed_text, from_csv
from shoal.data.hierarchies.marks import Mark
from shoal.data.hierarchies.paths import Paths
from shoal.data.schema import Column
from shoal.errors import HierarchyError, ParameterError, PlanError, listed, nearest
from shoal.files.together import place_files
from shoal.plan.plan import Plan

MEANING = (
    "Who confirms them says that anybody could have listed them, just as they are, without having seen the table; and "
    "of groups made by how often values occur that everybody knows which ones are rare. The certificate repeats that."
)

_OBSERVED = re.compile(r"(?<![\w-])observed(\s*=\s*)true(?!\w)")


@dataclass(frozen=True, slots=True)
class Taken:
    """Values of a column that were taken from the data, and that nobody has confirmed.

    Attributes:
        name: The column, the pattern of several that share a table of the release file, or the hierarchy file.
        what: Which values, in words.
        is_in_release_file: Whether the release file says that they were observed.
        file: The hierarchy file that says so.
    """

    name: str
    what: str
    is_in_release_file: bool = False
    file: Path | None = None


def taken_from_data(path: Path) -> list[Taken]:
    """What a release file, or a hierarchy file, has from the data."""
    if path.suffix.lower() != ".toml":
        try:
            found = from_csv(path)
        except HierarchyError:  # which may be a table, whose values are not to be shown
            raise HierarchyError(
                f"{path} is no hierarchy file: a row is a value and what it becomes, level by level, up to the root "
                "that all rows share. Give the release file, or a file of its hierarchies."
            ) from None
        return [Taken(path.name, f"{len(found.rows):,} values", file=path)] if found.mark is Mark.SEEN else []
    plan = Plan.load(path)
    some = [_taken(column, path.resolve().parent) for column in plan.schema]
    named: dict[str, Taken] = {}
    for one in some:
        if one is not None:  # columns that share a table of the release file are confirmed together
            name = plan.tables.get(one.name, one.name)
            named.setdefault(name, replace(one, name=name))
    return list(named.values())


def _taken(column: Column, base: Path) -> Taken | None:
    recipe = column.hierarchy
    file = Path(recipe.where) if isinstance(recipe, Paths) and recipe.mark is Mark.SEEN else None
    domain = column.domain or (None if recipe is None else recipe.leaves())
    if domain is None or not (column.observed or file):
        return None  # values that no file names are taken from the data anew by each run: there is nothing to confirm
    beside = "" if file is None else f" in {os.path.relpath(file, base)}"
    return Taken(column.name, f"{_described(domain)}{beside}", column.observed, file)


def _described(domain: Domain) -> str:
    match domain:
        case Grid() as grid:
            low, high = grid.labels([0, grid.steps])
            return f"numbers from {low} to {high} in steps of {grid.number(grid.step)}"
        case Dates() as dates:
            return f"days from {dates.first.isoformat()} to {dates.last.isoformat()}"
        case _:
            return f"{domain.size:,} values"


def named(taken: Collection[Taken], names: Collection[str], path: Path) -> list[Taken]:
    """Those of the columns called so."""
    known = [one.name for one in taken]
    for name in names:
        if name not in known:
            raise ParameterError(
                f"{path} has nothing from the data in {name!r}; columns with values taken from there: "
                f"{listed(known, 12) if known else 'none'}.{nearest(name, known)}"
            )
    return [one for one in taken if one.name in names]


def declare(path: Path, confirmed: Collection[Taken]) -> list[Path]:
    """Write in the files themselves that the owner has confirmed these values; the files that were changed."""
    texts: dict[Path, str] = {one.file: confirmed_text(one.file) for one in confirmed if one.file is not None}
    names = [one.name for one in confirmed if one.is_in_release_file]
    if names:
        with path.open(encoding="utf-8-sig", newline="") as file:
            texts[path] = confirmed_columns(file.read(), names, str(path))
    base = path.parent
    place_files(base, {os.path.relpath(file, base): text for file, text in texts.items()}, force=True)
    return list(texts)


def confirmed_columns(text: str, names: Collection[str], where: str) -> str:
    """A release file with `confirmed = true` where `observed = true` stands in the domains of some columns.

    Everything else, comments too, stays as it is; what the changed file says is compared with what it should say.
    """
    lines, section = text.splitlines(keepends=True), []
    for i, line in enumerate(lines):
        if line.lstrip().startswith("["):
            section = _section(line)
        elif section[:1] == ["columns"] and section[1:2] and section[1] in names:
            lines[i] = _OBSERVED.sub(r"confirmed\1true", line, count=1)
    changed = "".join(lines)
    try:
        is_right = tomllib.loads(changed) == _expected(tomllib.loads(text), names)
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise PlanError(
            f"{where} is written in a way that cannot be changed here; write confirmed = true instead of observed = "
            f"true in the domain of {listed(names, 12)} yourself, and confirm hierarchy files one by one."
        )
    return changed


def _section(line: str) -> list[str]:
    """The names in a header such as `[columns."date of birth"]`; nothing if it is none."""
    try:
        below: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return []
    names = []
    while isinstance(below, Mapping) and below:
        name, below = next(iter(below.items()))
        names.append(name)
    return names


def _expected(content: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    for name in names:
        domain = content["columns"][name]["domain"]
        domain["confirmed"] = domain.pop("observed")
    return content
