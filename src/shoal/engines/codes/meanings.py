"""What a published text means: the leaves of the domain that it may stand for. The inverse of `data.shown.texts`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from shoal.data.attribute import Attribute
from shoal.data.domain import Categorical, Dates, Grid
from shoal.engines.bridge import from_texts
from shoal.engines.codes.coding import Coder

Leaves: TypeAlias = tuple[int, ...] | range
"""Leaves in ascending order; a range where they follow each other."""

_HYPHENED = re.compile(r"(\d+)-(\d+)")
_BRACKETED = re.compile(r"\[(\S+), (\S+)\]")
_MOST_READINGS = 2
"""So many ways to read a text are enough to know that there is more than one."""


@dataclass(frozen=True, eq=False)
class Meanings:
    """Reads the texts of one column: values, nodes of its hierarchy, ranges and sets."""

    attribute: Attribute

    def of(self, text: str) -> set[Leaves]:
        """All that a text may mean; nothing if it means nothing in this domain, several if it is ambiguous."""
        found: set[Leaves] = set(self._nodes.get(text, ()))
        value = self._value(text)
        if value is not None:
            found.add(range(value, value + 1))
        found |= set(self._spans(text))
        if text.startswith("{") and text.endswith("}"):
            found |= set(self._sets(text[1:-1].split(", ")))
        return found

    @cached_property
    def _nodes(self) -> dict[str, set[Leaves]]:
        """What inner nodes cover, by label."""
        hierarchy = self.attribute.hierarchy
        named: dict[str, set[Leaves]] = {}
        for node, label in enumerate(hierarchy.inner_labels, start=hierarchy.leaves):
            first = int(hierarchy.first[node])
            named.setdefault(label, set()).add(range(first, first + int(hierarchy.leaf_count[node])))
        return named

    @cached_property
    def _named(self) -> dict[str, int]:
        """Values that have names; the missing one among them, for it may end a range or stand in a set."""
        domain = self.attribute.domain
        if isinstance(domain, Categorical):
            return {value: leaf for leaf, value in enumerate(domain.values)}
        return {} if domain.missing is None else {domain.labels([domain.missing])[0]: domain.missing}

    def _value(self, text: str) -> int | None:
        if text in self._named:
            return self._named[text]
        if isinstance(self.attribute.domain, Categorical):
            return None
        _, codes = Coder(self.attribute.name, self.attribute.domain, ()).local(from_texts([text]))
        return int(codes[0]) if codes[0] >= 0 else None

    def _spans(self, text: str) -> Iterator[Leaves]:
        domain = self.attribute.domain
        if domain.missing is not None and not isinstance(domain, Categorical):
            suffix = f" or {domain.labels([domain.missing])[0]}"
            if text.endswith(suffix):  # the place of missing values follows all others
                for found in self.of(text.removesuffix(suffix)):
                    if isinstance(found, range) and found.stop == domain.missing:
                        yield range(found.start, found.stop + 1)
        for low, high in self._ends(text):
            first, last = self._value(low), self._value(high)
            if first is not None and last is not None and first < last:
                yield range(first, last + 1)

    def _ends(self, text: str) -> Iterator[tuple[str, str]]:
        match self.attribute.domain:
            case Grid():
                for form in (_HYPHENED, _BRACKETED):
                    if found := form.fullmatch(text):
                        yield found[1], found[2]
            case Categorical() | Dates():
                words = text.split(" to ")
                for i in range(1, len(words)):
                    yield " to ".join(words[:i]), " to ".join(words[i:])

    def _sets(self, words: list[str]) -> list[Leaves]:
        """Sets whose members, in ascending order, are written so; a name may have a comma in it itself."""
        ways: list[list[tuple[int, ...]]] = [[()], *([] for _ in words)]
        for end in range(1, len(words) + 1):
            for start in range(end):
                value = self._value(", ".join(words[start:end])) if ways[start] else None
                if value is not None:
                    ways[end] += [(*way, value) for way in ways[start] if not way or way[-1] < value]
            ways[end] = ways[end][: 4 * _MOST_READINGS]
        return [as_leaves(way) for way in ways[-1][:_MOST_READINGS] if len(way) > 1]


def as_leaves(members: tuple[int, ...]) -> Leaves:
    """Ascending leaves, as a range where they are one."""
    first, last = members[0], members[-1]
    return range(first, last + 1) if last - first + 1 == len(members) else members


def numbers_of(texts: list[str | None]) -> list[float] | None:
    """Texts as numbers, NaN for a missing one; None if one is no number."""
    try:
        numbers = [float("nan") if text is None else float(text) for text in texts]
    except ValueError:
        return None
    return numbers if not np.isinf(numbers).any() else None
