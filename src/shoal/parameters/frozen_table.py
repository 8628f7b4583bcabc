"""A mapping that can be a parameter."""

from __future__ import annotations

from typing import Any


class FrozenTable(dict[Any, Any]):
    """A mapping that stays as it was read: equal to a dict of the same items, and hashable where they are.

    >>> weights = FrozenTable({"age": 2.0})
    >>> weights == {"age": 2.0}, hash(weights) == hash(FrozenTable({"age": 2.0}))
    (True, True)
    """

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none because it changes
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[FrozenTable], tuple[dict[Any, Any]]]:
        return FrozenTable, (dict(self),)

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError("parameters do not change once they are read; make a new object with dataclasses.replace().")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse
