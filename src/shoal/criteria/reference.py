"""What classes are compared with: the distribution of a sensitive column in the published table, or in the input.

t-closeness, β-likeness and δ-disclosure bound how far a class may be from a *reference*. All three are written in terms
of shares (each row sums to 1) and of what they make of shares once per table, their features, so that a search can
compare the same classes with many references.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol, runtime_checkable

import numpy as np

from shoal.arrays import Floats, Mask, Sizes
from shoal.criteria.base import Criterion, unit_of
from shoal.data.attribute import Attribute
from shoal.data.classes import Classes
from shoal.data.unit import Unit

SLACK = 1e-12
"""Equality in exact arithmetic counts as met, where a definition has it so."""

LEAST = 1e-3
"""How far a class is beyond what is allowed is told in multiples of what is allowed, or of this if that is less."""


class Reference(Enum):
    """Which table a class is compared with."""

    PUBLISHED = "published"
    """What is published: anybody can check it. Leaving out a class changes what the others are compared with."""
    INPUT = "input"
    """The table as it was given, suppressed records among them: each class is judged by itself, as ARX does."""

    @property
    def words(self) -> str:
        """As it stands in the sentence of a certificate."""
        return "whole published table" if self is Reference.PUBLISHED else "table that this release was made from"


@runtime_checkable
class Comparison(Criterion, Protocol):
    """A criterion that compares how often sensitive values are in a class with how often they are in a reference."""

    @property
    def column(self) -> str:
        """The sensitive column."""
        ...

    @property
    def reference(self) -> Reference:
        """What is compared with."""
        ...

    def features(self, shares: Floats, attribute: Attribute) -> Floats:
        """What is compared, a linear function of `shares[g, v]`, row by row."""
        ...

    def excess(self, features: Floats, of_reference: Floats) -> Floats:
        """How far each class is beyond what is allowed, in multiples of it: 0 or more if the class fails."""
        ...

    def at_most(self, excess: float, before: Floats, now: Floats) -> float:
        """How far a class is beyond what is allowed now, at most, that was so far beyond it before.

        Args:
            excess: As it was, compared with `before`.
            before: The features of the reference then.
            now: Its features now.
        """
        ...

    def must_lose(self, shares: Floats, attribute: Attribute, reference: Floats, movable: float) -> Floats:
        """The share of each class that no release can keep, however the class is divided: 0 if all may be kept.

        Args:
            shares: The values of the classes.
            attribute: The sensitive column.
            reference: The distribution compared with.
            movable: The largest share of the reference that may still be left out of it.
        """
        ...


def shares_of(histogram: Sizes) -> Floats:
    """The share of each value, row by row or of a single row; of nothing, nothing."""
    return np.asarray(histogram / np.maximum(histogram.sum(axis=-1, keepdims=True), 1))


def reference_of(criterion: Comparison, classes: Classes, published: Mask) -> Floats:
    """The distribution that the classes of a table are compared with when the classes `published` are."""
    if criterion.reference is Reference.INPUT:
        return shares_of(given_of(criterion, classes))
    return shares_of(histogram_of(criterion, classes)[published].sum(axis=0))


def histogram_of(criterion: Comparison, classes: Classes) -> Sizes:
    """How often each class has each value, in records or in what the criterion counts."""
    return classes.histogram(criterion.column, unit_of(criterion), every=asks_every_value(criterion))


def given_of(criterion: Comparison, classes: Classes) -> Sizes:
    """How often the table as it was given has each value."""
    return classes.given(criterion.column, unit_of(criterion), every=asks_every_value(criterion))


def asks_every_value(criterion: Comparison) -> bool:
    """Whether values that do not occur count too, because they lie between others."""
    return bool(getattr(criterion, "asks_every_value", False))


def heaviest_record(criterion: Comparison, classes: Classes) -> int:
    """No record adds more than this to the histograms that a criterion compares."""
    persons = classes.table.persons
    return 1 if unit_of(criterion) is Unit.RECORD or persons is None else persons.spread.heaviest


def excess_of(criterion: Comparison, classes: Classes, published: Mask) -> Floats:
    """How far each class is beyond what the criterion allows: 0 or more if it fails."""
    attribute = classes.table[criterion.column]
    features = criterion.features(shares_of(histogram_of(criterion, classes)), attribute)
    return criterion.excess(features, criterion.features(reference_of(criterion, classes, published), attribute))


def needs_input(criterion: Criterion) -> bool:
    """Whether only the owner of the input can tell if it holds: it compares with the input, or counts persons."""
    if getattr(criterion, "needs_owner", False):  # it asks about a population
        return True
    counts_persons = unit_of(criterion) is not Unit.RECORD and not getattr(criterion, "by_pseudonyms", False)
    return counts_persons or (isinstance(criterion, Comparison) and criterion.reference is Reference.INPUT)
