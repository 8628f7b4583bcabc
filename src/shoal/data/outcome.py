"""What a method decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from shoal.arrays import Mask
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.recoding import FullDomain


@dataclass(frozen=True, slots=True, eq=False)
class Recoded:
    """A recoding, and the records that are published under it.

    Attributes:
        recoding: How the quasi-identifiers are recoded.
        published: The published records: quasi-identifiers as classes of their level, other columns as codes.
        classes: The classes under the recoding, suppressed ones among them; for the owner only.
        suppressed: Which of them are not published; for the owner only.
        search: How the recoding was found; for the owner only.
    """

    recoding: FullDomain
    published: Counts
    classes: Classes
    suppressed: Mask
    search: Mapping[str, object] = field(default_factory=dict)
