"""Whom a guarantee is about."""

from __future__ import annotations

from enum import Enum


class Unit(Enum):
    """What is counted where people are protected: what k of a class are, and what differential privacy hides one of."""

    RECORD = "record"
    """A row of the table: what a person is, if each has one record."""
    PERSON = "person"
    """All records with one value of the person column."""
    HOUSEHOLD = "household"
    """All records with one value of the household column."""

    @property
    def plural(self) -> str:
        """Several of them."""
        return f"{self.value}s"
