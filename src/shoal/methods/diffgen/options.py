"""What can be chosen by name: what specializations are for, how they are chosen, and what records are made of."""

from __future__ import annotations

from enum import Enum


class Utility(Enum):
    """What a specialization is chosen for."""

    PURITY = "purity"
    """How much purer it makes the groups of the whole table, in their classes."""
    MAX = "max"
    """The records of the most frequent class, added up over the children: the paper's Max."""
    INFO_GAIN = "info-gain"
    """What the children tell about the class, in bits: the paper's InfoGain."""


class Choices(Enum):
    """How a specialization is chosen."""

    JOINT = "joint"
    """Attribute, value and split point by one choice."""
    SEPARATE = "separate"
    """As in the paper: a split point for each interval first, then one of the values."""


class Show(Enum):
    """What published records are made of."""

    VALUES = "values"
    """Values of the domain, wide numbers in intervals: drawn by what groups and single columns say, with noise."""
    GROUPS = "groups"
    """The generalized values of the groups, as in the paper."""
