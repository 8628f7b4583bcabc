"""How long work tells whoever waits for it how far it has come. The library itself prints nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """Told from time to time what is being done and which share of it is done."""

    def __call__(self, task: str, done: float) -> None:
        """`done` runs from 0 to 1; behind a colon `task` may say how it goes, which may change."""
        ...


def silent(task: str, done: float) -> None:
    """Nobody is waiting."""
    del task, done


_WAITING: list[Progress] = []
"""Who wants to know what is compiled: it happens wherever a kernel is first called, far from any progress."""


@contextmanager
def told_of_compiling(progress: Progress) -> Iterator[None]:
    """Tell the compilation of kernels as a task of its own, as long as this lasts."""
    _WAITING.append(progress)
    try:
        yield
    finally:
        _WAITING.remove(progress)


def tell_compiling(kernel: str, *, done: bool) -> None:
    """A kernel is about to be compiled, or has been."""
    for progress in tuple(_WAITING):
        progress(f"compiling {kernel} for this machine, once", float(done))
