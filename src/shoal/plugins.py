"""What can be added from outside of the package: methods, quality models, criteria, hierarchies, by entry points.

A package adds a class by one line of its `pyproject.toml` (`docs/plugins.md`):

    [project.entry-points."shoal.methods"]
    keep-frequent = "my_package.method:KeepFrequent"

The class carries the same `name`, and is a dataclass whose fields are its parameters: they are read from release files
and written to certificates as those of Shoal's own. Nothing is loaded before it is asked for by its name, so a package
that cannot be loaded is in nobody's way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from shoal.errors import ParameterError, nearest
from shoal.parameters import read_parameter


class Registry(Mapping[str, type[Any]]):
    """Classes by name: Shoal's own, and those that installed packages bring along. It only reads.

    Args:
        group: The group of entry points, such as `shoal.methods`.
        what: What one of them is, in words.
        own: Those of Shoal.
        protocol: What every one of them has to have.
    """

    def __init__(self, group: str, what: str, own: Mapping[str, type[Any]], protocol: type[Any]) -> None:
        self.own = own
        self._group, self._what, self._protocol = group, what, protocol

    def __getitem__(self, name: str) -> type[Any]:
        brought = _brought(self._group).get(name, ())
        if len(brought) + (name in self.own) > 1:
            packages = [*(["Shoal"] if name in self.own else []), *map(_package, brought)]
            raise ParameterError(
                f"several packages have a {self._what} called {name!r}: {', '.join(packages)}; uninstall all but one."
            )
        return self._loaded(brought[0]) if brought else self.own[name]

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in _brought(self._group)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.own, *_brought(self._group)]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def name_of(self, one: object) -> str:
        """How a release file calls it; what somebody brought along in Python goes by the name of its class."""
        name, kind = getattr(one, "name", None), type(one)
        return name if isinstance(name, str) and self.get(name) is kind else kind.__name__

    def _loaded(self, entry: EntryPoint) -> type[Any]:
        here = f"the {self._what} {entry.name!r} of the package {_package(entry)}"
        try:
            kind = entry.load()
        except Exception as error:
            raise ParameterError(
                f"{here} cannot be loaded ({type(error).__name__}: {error}); repair or uninstall that package."
            ) from error
        if not isinstance(kind, type) or not is_dataclass(kind):
            raise ParameterError(f"{here} is not a dataclass, whose fields are its parameters; ask its maker for one.")
        if getattr(kind, "name", None) != entry.name:
            raise ParameterError(
                f"{here} calls itself {getattr(kind, 'name', None)!r}; its class has to carry the name of its entry "
                "point."
            )
        asked = {name for name in (*dir(self._protocol), *self._protocol.__annotations__) if not name.startswith("_")}
        if absent := sorted(name for name in asked if not hasattr(kind, name)):
            raise ParameterError(f"{here} is not a {self._what}: it has no {', '.join(absent)}.")
        return kind


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


def _brought(group: str) -> Mapping[str, tuple[EntryPoint, ...]]:
    """The entry points of a group by name."""
    return _found(group, tuple(sys.path))


@cache
def _all_entry_points(path: tuple[str, ...]) -> Any:
    """Of all installed packages; looking through them takes longer than everything else here."""
    del path
    return entry_points()


@cache
def _found(group: str, path: tuple[str, ...]) -> Mapping[str, tuple[EntryPoint, ...]]:
    """Looked up once for each path on which packages are searched; a package that is found twice there is one."""
    found: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for entry in _all_entry_points(path).select(group=group):
        found.setdefault(entry.name, {}).setdefault((_package(entry), entry.value), entry)
    return {name: tuple(entries.values()) for name, entries in sorted(found.items())}


def from_table(kind: type[Any], name: str, table: Mapping[str, Any]) -> Any:
    """An instance of a class by the parameters that a release file or a certificate gives it."""
    known = [field.name for field in fields(kind)]
    for key in table:
        if key not in known:
            raise ParameterError(
                f"{key!r} is not a parameter of {name}; it has {', '.join(known) or 'none'}.{nearest(key, known)}"
            )
    required = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    if missing := [key for key in required if key not in table]:
        raise ParameterError(f"{name} needs {', '.join(missing)}.")
    try:
        read = {key: read_parameter(kind, key, value) for key, value in table.items()}
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None
    return kind(**read)
