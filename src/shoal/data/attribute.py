"""A column as a method sees it, settled from what the owner said and what the data showed."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from shoal.data.domain import LARGEST_DOMAIN, Categorical, Dates, Domain, Grid, Origin
from shoal.data.hierarchies.build import UsualHierarchy, default_recipe, has_usual_order
from shoal.data.schema import Column, Role
from shoal.errors import SchemaError

if TYPE_CHECKING:
    from shoal.arrays import Nodes
    from shoal.data.hierarchies.hierarchy import Hierarchy

NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?", re.ASCII)
"""Plain decimal digits; a leading zero makes a code, such as a zip code, and not a number."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """A column a method works with: its domain and hierarchy are settled."""

    name: str
    role: Role
    domain: Domain
    tree: Hierarchy | UsualHierarchy
    """Its hierarchy, or what makes the usual one of its domain when it is asked for."""
    source_type: Any = field(default=None, repr=False)
    """What the engine needs to write level-0 values as they came; methods do not look at it."""
    absorbs: bool = False
    """Whether the place for missing values was made only to take in what the declared domain does not hold."""
    is_covered: bool = False
    """Whether a private method answers for it: then its published type follows from its domain, never from records."""
    is_coded: bool = False
    """Whether a number outside of its domain, or between its steps, counts as the nearest in it, as the owner says."""
    floor: int = 0
    """The level that records are counted at: the leaf of a record is the first of its node there."""

    @property
    def counted_leaves(self) -> Nodes | None:
        """The leaf that each leaf is counted as; None if as itself."""
        return self.hierarchy.first[self.hierarchy.up[self.floor]] if self.floor else None

    def counted_at(self, level: int) -> Attribute:
        """The same column with records counted at a level."""
        if level and not 0 <= level <= self.hierarchy.height:
            raise SchemaError(
                f"floor has level {level} for {self.name!r}, whose hierarchy has levels 0 to {self.hierarchy.height}."
            )
        return replace(self, floor=level)

    @property
    def hierarchy(self) -> Hierarchy:
        """How its values become coarser."""
        return self.tree.hierarchy if isinstance(self.tree, UsualHierarchy) else self.tree

    def labels(self, nodes: Nodes) -> list[str]:
        """How nodes are written in a published table."""
        leaves = self.domain.size
        if (nodes < leaves).all():
            return self.domain.labels(nodes.tolist())
        inner = self.hierarchy.inner_labels
        return [self.domain.labels([n])[0] if n < leaves else inner[n - leaves] for n in nodes.tolist()]


def declared(column: Column, missing_tokens: Collection[str]) -> Domain | None:
    """The domain the owner declared, by itself or through a hierarchy that names its values; None if there is none."""
    domain = column.domain
    if domain is None and column.hierarchy is not None:
        domain = column.hierarchy.leaves()
        if domain is not None and column.observed:
            domain = replace(domain, origin=Origin.OBSERVED)
    if isinstance(domain, Categorical) and domain.missing is None:
        tokens = [i for i, value in enumerate(domain.values) if value in missing_tokens]
        if tokens:
            domain = replace(domain, missing=tokens[0])
    return domain.with_missing() if domain is not None and column.missing else domain


def settle(column: Column, domain: Domain, source_type: Any = None) -> Attribute:
    """The attribute: the domain in the order of the leaves of its hierarchy, and the hierarchy.

    That of ordered values of which the owner says nothing is built when it is first asked for: it has a place for
    every step of the domain, and many methods never ask.
    """
    if column.hierarchy is None and has_usual_order(domain):
        usual = UsualHierarchy(domain)
        return Attribute(column.name, column.role, domain, usual, source_type, is_coded=column.is_coded)
    recipe = column.hierarchy or default_recipe(domain)
    domain, hierarchy = recipe.build(domain, column.name)
    return Attribute(column.name, column.role, domain, hierarchy, source_type, is_coded=column.is_coded)


def observed_domain(labels: Sequence[str], *, has_missing: bool, is_literal: bool = False) -> Domain:
    """The domain that the values seen suggest: dates, numbers on the coarsest grid that holds them, or categories.

    Numbers that no grid holds, such as measurements of many digits, are those seen in their order. With `is_literal`
    always categories: values that are written differently are different.
    """
    domain: Domain | None = None
    if labels and not is_literal:
        domain = _days(labels) or _grid(labels)
    if domain is None:
        domain = Categorical(tuple(sorted(labels)), origin=Origin.OBSERVED)
    return domain.with_missing() if has_missing or not labels else domain  # some value a domain must have


def _days(labels: Sequence[str]) -> Dates | None:
    if not all(_DATE.fullmatch(label) for label in labels):
        return None
    try:
        days = [dt.date.fromisoformat(label) for label in labels]
    except ValueError:
        return None
    return Dates(min(days), max(days), origin=Origin.OBSERVED)


def _grid(labels: Sequence[str]) -> Grid | Categorical | None:
    if not all(NUMBER.fullmatch(label) for label in labels):
        return None
    numbers = [Decimal(label) for label in labels]
    low, high = min(numbers), max(numbers)
    decimals = max(max(0, -int(number.as_tuple().exponent)) for number in numbers)
    step = Decimal(1).scaleb(-decimals)
    if high - low >= LARGEST_DOMAIN * step:
        order = sorted(range(len(labels)), key=lambda i: (numbers[i], labels[i]))
        return Categorical(tuple(labels[i] for i in order), ordered=True, origin=Origin.OBSERVED)
    try:
        return Grid.between(low, high, step, origin=Origin.OBSERVED)
    except (
        SchemaError
    ):  # numbers of too many digits, such as account numbers, are names; its text would show two of them
        return None
