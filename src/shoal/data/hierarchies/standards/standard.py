"""A ready-made hierarchy as a recipe: `{ standard = "icd10cm" }` in a release file, `shoal.standard("icd10cm")`."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.domain import Categorical, Domain
from shoal.data.hierarchies.build import Recipe
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.data.hierarchies.standards.catalog import Entry, entry_named
from shoal.data.hierarchies.standards.code_table import CodeTable
from shoal.data.hierarchies.standards.rules import RULES
from shoal.data.hierarchies.standards.tables import code_table
from shoal.errors import HierarchyError, nearest
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class Standard:
    """A public hierarchy that ships with Shoal.

    Its list of values is the declared domain unless the column has a domain of its own, and nothing in it comes from
    data: it serves differential privacy.

    Attributes:
        standard: Its name; `shoal hierarchies` lists them.
        level: What the column has, where that is not the finest level: `category` of diagnoses, say.
        dots: Whether codes of the list are written with dots, where it has any: E11.9, and not E119.
    """

    standard: str
    level: str | None = None
    dots: bool = True

    def __post_init__(self) -> None:
        read_parameters(self)
        known = self.entry.levels
        if self.level is not None and (self.standard in RULES or self.level not in known):
            expected = "none: it is a rule" if self.standard in RULES else f"one of {', '.join(known)}"
            raise HierarchyError(
                f"{self.level!r} is not a level of the standard hierarchy {self.standard!r}; expected {expected}."
                f"{nearest(self.level, list(known))}"
            )

    @property
    def entry(self) -> Entry:
        """What it is, where it comes from, on what ground it is given on."""
        return entry_named(self.standard)

    def leaves(self) -> Domain | None:
        """Its values, in the order of the list; None for a rule that fits whatever the domain has."""
        recipe = self._rule
        return Categorical(self._table.values) if recipe is None else recipe.leaves()

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """The part of it that the domain needs, in its own order."""
        if (recipe := self._rule) is not None:
            return recipe.build(domain, column)
        return self._table.build(domain, column, f"the hierarchy {self.standard!r}")

    @property
    def _rule(self) -> Recipe | None:
        return RULES[self.standard].make() if self.standard in RULES else None

    @property
    def _table(self) -> CodeTable:
        return code_table(self.standard, self.level or "", dots=self.dots)
