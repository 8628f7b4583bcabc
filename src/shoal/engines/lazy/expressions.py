"""A few words of narwhals that mean the same in every place."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def one_where(condition: Any) -> Any:
    """1 where a condition holds, else 0: not every database takes a truth value for a number."""
    import narwhals as nw

    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)


def unlike(word: str, names: Collection[str]) -> str:
    """A name of a column that none has; nor does one in other letter case, which many databases take for the same."""
    taken = {name.casefold() for name in names}
    while word in taken:
        word = f"{word}_"
    return word
