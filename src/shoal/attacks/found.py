"""What every attack gives back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from shoal.attacks.interval import Rate


class Found(Protocol):
    """What an attack found, computed from the original: for the owner only. As text it is one sentence or two."""

    @property
    def title(self) -> str:
        """What was tried, in a few words."""
        ...

    @property
    def rates(self) -> Mapping[str, Rate]:
        """What to compare, by what it is called: the attack first, then what it is measured against."""
        ...
