"""How long work tells whoever waits for it how far it has come. The library itself prints nothing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told from time to time what is being done and which share of it is done."""

    def __call__(self, task: str, done: float) -> None:
        """`done` runs from 0 to 1."""
        ...


def silent(task: str, done: float) -> None:
    """Nobody is waiting."""
    del task, done
