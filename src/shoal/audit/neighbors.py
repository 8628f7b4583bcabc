"""All neighboring pairs of small tables over a small domain: where an exact audit looks."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

R = TypeVar("R")


def add_remove_neighbors(domain: Sequence[R], *, most: int) -> Iterator[tuple[tuple[R, ...], tuple[R, ...]]]:
    """Every table with fewer than `most` records, in the order of the domain, and every table with one record more.

    >>> list(add_remove_neighbors("ab", most=1))
    [((), ('a',)), ((), ('b',))]
    """
    for size in range(most):
        for positions in itertools.combinations_with_replacement(range(len(domain)), size):
            for added in range(len(domain)):
                yield _records(domain, positions), _records(domain, sorted((*positions, added)))


def replace_neighbors(domain: Sequence[R], *, size: int) -> Iterator[tuple[tuple[R, ...], tuple[R, ...]]]:
    """Every two tables of `size` records that differ in one, each pair once.

    >>> list(replace_neighbors("ab", size=2))
    [(('a', 'a'), ('a', 'b')), (('a', 'b'), ('b', 'b'))]
    """
    for common in itertools.combinations_with_replacement(range(len(domain)), size - 1):
        for one, other in itertools.combinations(range(len(domain)), 2):
            yield _records(domain, sorted((*common, one))), _records(domain, sorted((*common, other)))


def _records(domain: Sequence[R], positions: Sequence[int]) -> tuple[R, ...]:
    return tuple(domain[position] for position in positions)
