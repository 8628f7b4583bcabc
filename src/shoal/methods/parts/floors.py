"""Levels that nothing is published below: what is said about columns, checked before a row is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import SchemaError, listed, nearest


def require_floor(floor: Mapping[str, int], generalized: Sequence[str], target: str | None) -> None:
    """Refuse a floor of a column that is not generalized; `target` is the class of a classification, if there is one.

    How many levels a hierarchy has is checked where it is settled (`Attribute.counted_at`).
    """
    unknown = [name for name in floor if name not in generalized]
    if unknown:
        raise SchemaError(
            f"floor gives a level for {listed(unknown)}, which is not generalized; those that are: "
            f"{listed(generalized, 12)}.{nearest(unknown[0], list(generalized))}"
        )
    if target in floor:
        raise SchemaError(f"floor generalizes {target!r}, the target of the classification; leave it out.")
