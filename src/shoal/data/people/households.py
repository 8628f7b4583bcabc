"""Who lives together: whoever finds one member of a household finds all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.arrays import Keys, Sizes


@dataclass(frozen=True, eq=False)
class Households:
    """The members of households, for the owner only.

    Attributes:
        member: Who: a person of the table's incidence, or a distinct record where each row is another person.
        household: Where they live: 0…H−1. The numbers mean nothing, and are never published.
        rows: How many members it is: 1 for a person, else the rows of the household that are this record.
        count: How many households there are.
    """

    member: Keys
    household: Keys
    rows: Sizes
    count: int
