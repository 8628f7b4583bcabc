"""What every attack gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def columns_known(known: Sequence[str]) -> str:
    """How many columns an attacker knows, in words.

    >>> columns_known(("age",)), columns_known(("age", "zip"))
    ('1 column', '2 columns')
    """
    return f"{len(known)} column{'' if len(known) == 1 else 's'}"
