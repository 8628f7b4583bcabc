"""A list of codes and how they nest, as arrays: a hundred thousand of them are a matter of milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.data.domain import Categorical, Domain
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.data.hierarchies.paths import Paths, uncovered_values


@dataclass(frozen=True, eq=False)
class CodeTable:
    """The values of a list in their order, and the group of each on every level above them.

    Attributes:
        values: The values.
        names: For each level above them the names of its groups, in the order of the values.
        groups: For each level the number of the group that each value is in.
    """

    values: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    groups: tuple[NDArray[np.int64], ...]

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each value stands."""
        return {value: place for place, value in enumerate(self.values)}

    def rows(self, places: Sequence[int]) -> tuple[tuple[str, ...], ...]:
        """Some of the values with what they become, as a hierarchy file has them."""
        above = [
            [names[group] for group in groups[list(places)].tolist()]
            for names, groups in zip(self.names, self.groups, strict=True)
        ]
        return tuple(zip((self.values[place] for place in places), *above, strict=True))

    def build(self, domain: Domain, column: str, where: str) -> tuple[Domain, Hierarchy]:
        """The part of the tree that a domain needs, its values in the order of the list; names are for messages."""
        labels = domain.labels(range(domain.size))
        present = [i for i in range(domain.size) if i != domain.missing]
        unknown = [labels[i] for i in present if labels[i] not in self.places]
        if unknown:
            raise uncovered_values(column, where, unknown, domain)
        if domain.ordered or not present:
            rows = self.rows(sorted(self.places[labels[i]] for i in present) or [0])
            return Paths(rows, where).build(domain, column)
        assert isinstance(domain, Categorical)  # numbers and days are ordered
        places = np.array([self.places[labels[i]] for i in present], dtype=np.int64)
        order = np.argsort(places, kind="stable")
        missing = None if domain.missing is None else labels[domain.missing]
        levels, names = [], []
        for depth, (groups, called) in enumerate(zip(self.groups, self.names, strict=True), start=1):
            here = groups[places[order]]
            starts = np.diff(here, prepend=-1) != 0
            joined, labeled = np.cumsum(starts) - 1, [called[group] for group in here[starts].tolist()]
            if missing is not None and depth < len(self.names):  # it stays itself until everything is hidden
                joined, labeled = np.append(joined, len(labeled)), [*labeled, missing]
            elif missing is not None:
                joined = np.append(joined, 0)
            levels.append(joined)
            names.append(labeled)
        values = tuple(labels[present[i]] for i in order.tolist())
        domain = replace(
            domain,
            values=values if missing is None else (*values, missing),
            missing=None if missing is None else len(values),
        )
        return domain, Hierarchy.from_levels(domain.size, levels, names, domain.values.__getitem__)
