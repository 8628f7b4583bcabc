"""Criteria about the population that a table was drawn from: k-map, δ-presence and uniqueness in it.

The population is a table of its own (`population`, a file with the same quasi-identifiers, in which everybody of the
input is), or what the weights of a survey say of it, which is an estimate. Only the owner can tell whether they hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.criteria.base import check_unit, largest, require_at_least, smallest
from shoal.criteria.k_anonymity import KAnonymity
from shoal.criteria.reference import SLACK
from shoal.criteria.whole_table import chosen, require_part, share_of_all, sizes_in
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.unit import Unit
from shoal.errors import ParameterError
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class KMap:
    """Every record looks like at least k people of the population.

    F ≥ k for every class, F how many of the population have its quasi-identifiers; it survives growth, as k-anonymity.

    Paper: Sweeney 2002.

    Attributes:
        k: The fewest people of the population.
        population: A file with the population, relative to the release file; what the weights say if not given.
    """

    name: ClassVar[str] = "k-map"
    is_relative: ClassVar[bool] = False
    """A class is judged by itself."""
    needs_owner: ClassVar[bool] = True
    """Only the owner can tell whether it holds."""

    k: int
    population: str | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        require_at_least(self.k, 1, "k")
        require_file(self.population)

    @property
    def by_weights(self) -> bool:
        """Whether weights say what the population is."""
        return self.population is None

    @property
    def statement(self) -> str:
        """The promise."""
        which = "by the weights of the survey" if self.by_weights else f"which is {self.population!r}"
        return f"{self.k}-map: every record looks like at least {self.k} people of the population, {which}"

    def check(self, table: EncodedTable) -> None:
        """Every table will do; whether the population is known shows when classes are counted."""

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002  judged class by class
        """How many people each class has."""
        return classes.weighed / classes.weight_scale if self.by_weights else classes.inhabitants.astype(float)

    def violations(self, classes: Classes, published: Mask) -> Mask:  # noqa: ARG002
        """Classes of fewer than k people."""
        if self.by_weights:
            return classes.weighed < self.k * classes.weight_scale
        return classes.inhabitants < self.k

    worst = smallest
    """The class of fewest people."""

    def implied(self) -> KMap:
        """It survives growth."""
        return self


@dataclass(frozen=True, slots=True)
class PopulationUniqueness:
    """At most a share u of the published records are alone in the population, as weights estimate it.

    A record that is alone in its class and stands for w people is the only one of them with probability 1/w
    (Benedetti & Franconi 1998): Σ 1/w over such classes is at most u n. Left out are those with the smallest weights,
    one after the other, until the rest passes; no other set has fewer records.

    Paper: Skinner & Elliot 2002; ARX: population uniqueness, by models where this one takes weights.

    Attributes:
        share: u, at least 0 and below 1.
        unit: What is counted; a method fills in that of the table.
    """

    name: ClassVar[str] = "population-uniqueness"
    is_relative: ClassVar[bool] = True
    """It is about all published classes together."""
    is_kept_upward: ClassVar[bool] = True
    """Whether a coarser recoding never has to leave out more records."""
    needs_owner: ClassVar[bool] = True
    """Only the owner can tell whether it holds."""
    by_weights: ClassVar[bool] = True
    """Weights say what the population is."""

    share: float
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_part(self.share)

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"at most the share {self.share:g} of published {self.unit.plural} is alone in the population with its "
            "quasi-identifiers, as the weights of the survey estimate it"
        )

    check = check_unit
    """Whom it counts must be known."""

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The share that is estimated to be alone, for each class the same."""
        sizes, chances = sizes_in(classes, self.unit), self._chances(classes)
        return share_of_all(classes, float(chances[published].sum()), sizes[published])

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """The published classes of one that are likeliest to be alone, as many as must be left out."""
        sizes, chances = sizes_in(classes, self.unit), self._chances(classes)
        alone = np.flatnonzero(published & (sizes == 1))
        order = alone[np.argsort(-chances[alone], kind="stable")]
        falling = chances[order]
        stay = np.concatenate([np.cumsum(falling[::-1])[::-1], [0.0]])
        passes = stay <= self.share * (int(sizes[published].sum()) - np.arange(len(order) + 1)) * (1 + SLACK)
        return chosen(len(classes), order[: int(np.argmax(passes))])

    def _chances(self, classes: Classes) -> Floats:
        """How likely the one person of each class is alone in the population; 0 in larger classes."""
        sizes, people = sizes_in(classes, self.unit), classes.weighed / classes.weight_scale
        return np.where(sizes == 1, 1 / np.maximum(people, 1.0), 0.0)

    worst = largest
    """It is the same for all classes."""

    def implied(self) -> None:
        """Nothing that survives growth follows from it for a class."""
        return

    def for_each_class(self) -> KAnonymity:
        """What is enough if it holds for each class: that nobody is alone in it."""
        return KAnonymity(2, self.unit)


@dataclass(frozen=True, slots=True)
class Presence:
    """δ-presence: nobody of the population is in the release with a probability outside of [δ_min, δ_max].

    Of F people of the population who look alike, f are in the release: δ_min ≤ f/F ≤ δ_max for every class of the
    population, those without a record among them. With δ_min above 0 nothing may be left out: whoever belongs to a
    class without records is known not to be in the release.

    Paper: Nergiz, Atzori & Clifton 2007.

    Attributes:
        population: A file with the population, relative to the release file.
        most: δ_max, above 0 and at most 1.
        least: δ_min, at least 0 and at most δ_max.
        unit: What is counted; a method fills in that of the table.
    """

    name: ClassVar[str] = "presence"
    is_relative: ClassVar[bool] = True
    """What is left out changes who is known not to be there."""
    is_kept_upward: ClassVar[bool] = False
    """Whether a coarser recoding never has to leave out more records."""
    needs_owner: ClassVar[bool] = True
    """Only the owner can tell whether it holds."""

    population: str
    most: float
    least: float = 0.0
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        require_file(self.population)
        if not (0 <= self.least <= self.most <= 1 and self.most > 0):
            raise ParameterError(
                f"least and most are probabilities with 0 <= least <= most <= 1, most above 0; got {self.least:g} and "
                f"{self.most:g}."
            )

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"({self.least:g}, {self.most:g})-present: whoever of the population, which is {self.population!r}, is "
            f"looked for by their quasi-identifiers is in the release with a probability from {self.least:g} to "
            f"{self.most:g}"
        )

    check = check_unit
    """Whom it counts must be known."""

    def measure(self, classes: Classes, published: Mask) -> Floats:  # noqa: ARG002
        """How likely the people of each class are in the release."""
        return np.asarray(sizes_in(classes, self.unit) / np.maximum(classes.inhabitants, 1))

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes of whom too many are in the release; all, if too few of some are: leaving out cannot mend that."""
        chances = self.measure(classes, published)
        failing = published & (chances > self.most * (1 + SLACK))
        if self.least == 0:
            return failing
        too_few = classes.is_population_absent or not published.all()
        return published.copy() if too_few or failing.any() or (chances < self.least * (1 - SLACK)).any() else failing

    worst = largest
    """The largest probability."""

    def implied(self) -> None:
        """Nothing that survives growth follows from it for a class."""
        return


def require_file(population: str | None) -> None:
    """Refuse an empty name."""
    if population is not None and not population.strip():
        raise ParameterError("population is empty; expected the path of a table.")
