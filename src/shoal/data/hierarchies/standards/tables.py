"""Lists of codes and how they nest, read from the outlines that ship with Shoal."""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.data.hierarchies.hierarchy import ANY
from shoal.data.hierarchies.standards.catalog import entry_named, table_file
from shoal.data.hierarchies.standards.code_table import CodeTable

_DASHES = re.compile(r"\.?-$")


@cache
def code_table(name: str, level: str = "", *, dots: bool = True) -> CodeTable:
    """The list of a ready-made hierarchy; with a level, of what that level has: categories of diagnoses, divisions."""
    table = _read(name)
    if not dots:
        table = replace(table, values=tuple(value.replace(".", "") for value in table.values))
    start = entry_named(name).levels.index(level) if level else 0
    return table if start == 0 else _from_level(table, start)


@cache
def _read(name: str) -> CodeTable:
    height = len(entry_named(name).levels)
    text = gzip.decompress(table_file(f"{name}.txt.gz").read_bytes()).decode()
    values: list[str] = []
    begun: list[list[tuple[int, str]]] = [[] for _ in range(height)]
    for line in text.splitlines():
        if line[0] != "\t":
            values.append(line)
            continue
        group = line.lstrip("\t")
        level = len(line) - len(group)
        begun[level].append((len(values), group))
        for inner in range(1, level):
            begun[inner].append((len(values), ""))
    below: NDArray[np.int64] = np.arange(len(values), dtype=np.int64)
    called: Sequence[str] = values
    names, groups = [], []
    for level in range(1, height):
        below, called = _level(begun[level], below, called, len(values))
        names.append(tuple(called))
        groups.append(below)
    return CodeTable(tuple(values), (*names, (ANY,)), (*groups, np.zeros(len(values), dtype=np.int64)))


def _level(
    begun: Sequence[tuple[int, str]], below: NDArray[np.int64], called: Sequence[str], count: int
) -> tuple[NDArray[np.int64], list[str]]:
    """The groups of one level: those that begin here, and where there is none, those of the level below."""
    starts = np.diff(below, prepend=-1) != 0
    names_at = dict(begun)  # of several at one place the last counts
    edges = [*sorted(names_at), count]
    if edges[0] != 0:
        edges.insert(0, 0)
    for first, end in pairwise(edges):
        if names_at.get(first):
            starts[first] = True
            starts[first + 1 : end] = False
        elif first < count:
            starts[first] = True
    places = np.flatnonzero(starts).tolist()
    return np.cumsum(starts) - 1, [names_at.get(place) or called[below[place]] for place in places]


def _from_level(table: CodeTable, start: int) -> CodeTable:
    """The same list for a column that has what stands on one of its levels."""
    first = np.flatnonzero(np.diff(table.groups[start - 1], prepend=-1))
    values = tuple(code_of(name) for name in table.names[start - 1])
    return CodeTable(values, table.names[start:], tuple(groups[first] for groups in table.groups[start:]))


def code_of(group: str) -> str:
    """What a column has for a group: `E11` for `E11.-`, `C` for `C manufacturing`, `31-33` for its sector."""
    head, _, rest = group.partition(" ")
    return _DASHES.sub("", head) if not rest or any(map(str.isdigit, head)) or len(head) == 1 else group
