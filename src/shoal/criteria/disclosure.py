"""How much more likely a sensitive value may become in a class: δ-disclosure privacy and β-likeness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Mask
from shoal.criteria.base import largest, require_sensitive, require_unit, spread_words
from shoal.criteria.reference import LEAST, SLACK, Reference, excess_of, reference_of, shares_of
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.encoded import EncodedTable
from shoal.data.unit import Unit
from shoal.errors import ParameterError
from shoal.parameters import read_parameters


@dataclass(frozen=True, slots=True)
class Disclosure:
    """|log(p_v(class) / p_v(table))| < δ for every class and every value v of the table, published or input.

    A value that a class lacks makes the logarithm infinite: δ-disclosure asks for every value in every class.

    Paper: Brickell & Shmatikov 2008, Definition 1.

    Attributes:
        delta: δ.
        column: The sensitive column.
        reference: Which table is the whole one: the published one, or the input.
        unit: What is counted: `record`, or `person` or `household`, each spread evenly over their records.
    """

    name: ClassVar[str] = "disclosure"

    delta: float
    column: str
    reference: Reference = Reference.PUBLISHED
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.delta <= 0:
            raise ParameterError(f"delta of δ-disclosure must be above 0; got {self.delta:g}.")

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"{self.delta:g}-disclosure privacy of {self.column!r}: no share changes by the factor e^{self.delta:g}"
            f"{_compared(self.reference)}{spread_words(self.unit)}"
        )

    @property
    def is_relative(self) -> bool:
        """Whether a class is judged against the published table."""
        return self.reference is Reference.PUBLISHED

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive."""
        require_sensitive(table, self.column, "δ-disclosure")
        require_unit(table, self.unit, self.name)

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The largest absolute log ratio of each class."""
        share, whole = _shares(self, classes, published)
        with np.errstate(divide="ignore"):
            return np.asarray(np.abs(np.log(share / whole)).max(axis=1, initial=0.0))

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes with a value that became too likely or too unlikely."""
        return excess_of(self, classes, published) >= 0

    def features(self, shares: Floats, attribute: Attribute) -> Floats:
        """The shares themselves."""
        del attribute
        return shares

    def excess(self, features: Floats, of_reference: Floats) -> Floats:
        """How much larger than δ the largest log ratio is, in multiples of δ."""
        present = of_reference > 0
        with np.errstate(divide="ignore"):
            ratios = np.abs(np.log(features[:, present] / of_reference[present]))
        return np.asarray(ratios.max(axis=1, initial=0.0) / self.delta - 1)

    def at_most(self, excess: float, before: Floats, now: Floats) -> float:
        """No logarithm of a ratio grows by more than the logarithm of the reference has."""
        present = now > 0
        return excess + float(np.abs(np.log(now[present] / before[present])).max(initial=0.0)) / self.delta

    def must_lose(self, shares: Floats, attribute: Attribute, reference: Floats, movable: float) -> Floats:
        """What is too frequent has to go (`_too_frequent`), and so has what makes a value too rare.

        A value with share p that must have more than l in what is kept: p ≥ (1 − x) l if the share x is not kept.
        """
        del attribute
        least, most = _at_least(reference, movable), _at_most(reference, movable)
        x = _too_frequent(shares, most * np.exp(self.delta))
        needed = least * np.exp(-self.delta) - SLACK
        needs = needed > 0
        rare = 1 - shares[:, needs] / needed[needs]
        return np.asarray(np.maximum(x, rare.max(axis=1, initial=0.0)))

    worst = largest
    """The largest."""

    def implied(self) -> None:
        """Nothing that survives growth follows from it."""
        return


@dataclass(frozen=True, slots=True)
class Likeness:
    """(p_v(class) − p_v(table)) / p_v(table) ≤ min(β, −ln p_v(table)) for every value (enhanced β-likeness).

    Paper: Cao & Karras 2012, Definition 3.

    Attributes:
        beta: β.
        column: The sensitive column.
        reference: Which table is the whole one: the published one, or the input.
        unit: What is counted: `record`, or `person` or `household`, each spread evenly over their records.
    """

    name: ClassVar[str] = "likeness"

    beta: float
    column: str
    reference: Reference = Reference.PUBLISHED
    unit: Unit = Unit.RECORD

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.beta <= 0:
            raise ParameterError(f"beta of β-likeness must be above 0; got {self.beta:g}.")

    @property
    def statement(self) -> str:
        """The promise."""
        return (
            f"enhanced {self.beta:g}-likeness of {self.column!r}: no share grows by more than {self.beta:g} of itself"
            f"{_compared(self.reference)}{spread_words(self.unit)}"
        )

    @property
    def is_relative(self) -> bool:
        """Whether a class is judged against the published table."""
        return self.reference is Reference.PUBLISHED

    def check(self, table: EncodedTable) -> None:
        """The column must be sensitive."""
        require_sensitive(table, self.column, "β-likeness")
        require_unit(table, self.unit, self.name)

    def measure(self, classes: Classes, published: Mask) -> Floats:
        """The smallest β for which each class would pass; infinite where the logarithmic bound is broken."""
        share, whole = _shares(self, classes, published)
        gain = share / whole - 1
        broken = (gain > -np.log(whole) + SLACK).any(axis=1)
        return np.where(broken, np.inf, gain.max(axis=1, initial=0.0))

    def violations(self, classes: Classes, published: Mask) -> Mask:
        """Classes with a value that became too likely."""
        return excess_of(self, classes, published) >= 0

    def features(self, shares: Floats, attribute: Attribute) -> Floats:
        """The shares themselves."""
        del attribute
        return shares

    def excess(self, features: Floats, of_reference: Floats) -> Floats:
        """How much larger than allowed the gain of a value is, in multiples of what is allowed for it."""
        present = of_reference > 0
        whole = of_reference[present]
        allowed = np.minimum(self.beta, -np.log(whole)) + SLACK
        gain = features[:, present] / whole - 1
        return np.asarray(((gain - allowed) / np.maximum(allowed, LEAST)).max(axis=1, initial=-1.0))

    def at_most(self, excess: float, before: Floats, now: Floats) -> float:
        """A gain g compared with q is r g + r − 1 compared with q / r."""
        present = now > 0
        before, now = before[present], now[present]
        ratio = before / now
        was, allowed = (np.minimum(self.beta, -np.log(q)) + SLACK for q in (before, now))
        gain = was + excess * np.maximum(was, LEAST)
        bounds = (ratio * gain + ratio - 1 - allowed) / np.maximum(allowed, LEAST)
        return float(bounds.max(initial=-np.inf))

    def must_lose(self, shares: Floats, attribute: Attribute, reference: Floats, movable: float) -> Floats:
        """What is too frequent has to go; what is allowed, q (1 + min(β, −ln q)), grows with q up to q = 1."""
        del attribute
        most = _at_most(reference, movable)
        allowed = np.minimum(self.beta, -np.log(np.where(most > 0, most, 1.0))) + SLACK
        return _too_frequent(shares, most * (1 + allowed))

    worst = largest
    """The largest gain."""

    def implied(self) -> None:
        """Nothing that survives growth follows from it."""
        return


def _compared(reference: Reference) -> str:
    """What a promise adds when it is not about the published table."""
    return "" if reference is Reference.PUBLISHED else f", compared with the {reference.words}"


def _shares(criterion: Disclosure | Likeness, classes: Classes, published: Mask) -> tuple[Floats, Floats]:
    """The share of each value of the reference in each class and in the reference."""
    whole = reference_of(criterion, classes, published)
    present = whole > 0
    return shares_of(classes.histogram(criterion.column, criterion.unit))[:, present], whole[present]


def _at_least(reference: Floats, movable: float) -> Floats:
    """The least share each value can have once up to the share `movable` of all records is left out."""
    if movable >= 1 - SLACK:
        return np.zeros(len(reference))
    return np.asarray(np.maximum(reference - movable, 0.0) / (1 - movable))


def _at_most(reference: Floats, movable: float) -> Floats:
    """The largest share each value can have once up to the share `movable` of all records is left out."""
    if movable >= 1 - SLACK:
        return (reference > 0).astype(np.float64)
    return np.asarray(np.minimum(reference / (1 - movable), 1.0))


def _too_frequent(shares: Floats, most: Floats) -> Floats:
    """The share of each class that must go so that no value v has more than the share `most[v]` in what is kept.

    Let x be the share that goes, and V the values that have too much. Kept are p_v − x_v ≤ (1 − x) most_v of each of
    them, and the x_v add up to at most x: summed over V, x ≥ Σ (p_v − most_v) / (1 − Σ most_v).
    """
    most = most + SLACK
    surplus = np.maximum(shares - most, 0.0).sum(axis=1)
    room = 1 - (shares > most) @ most
    return np.asarray(np.minimum(surplus / np.maximum(room, SLACK), 1.0))
