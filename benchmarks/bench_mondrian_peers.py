"""What Mondrian loses on Adult without hierarchies beside the Python packages that have it, by one measure for all.

Eight quasi-identifiers, ages as numbers. The measure is the loss metric LM of the classes that each of them makes: a
range of ages by the width of all ages, a set of other values by how many there are. A peer that is not installed is
left out. `--k 10 50` and `--peers anonypyx` choose; anonypyx cuts as anonypy does, and is asked only by name.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from bench_local_recoding import without_salary
from common import ADULT, cpu, machine

from shoal.methods import LocalRecoding, Mondrian

if TYPE_CHECKING:
    import pandas as pd

SIZES = (100, 50, 10, 5, 2)


def lost(columns: dict[str, np.ndarray], label: np.ndarray, sizes: np.ndarray) -> float:
    """The mean loss of a cell; `label` is the class of each row, and `sizes` how many records it stands for."""
    groups, spent = int(label.max()) + 1, 0.0
    records = np.bincount(label, sizes, groups)
    for name, column in columns.items():
        values, code = np.unique(column, return_inverse=True)
        if name == "age":
            low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
            np.minimum.at(low, label, column)
            np.maximum.at(high, label, column)
            share = (high - low) / (values[-1] - values[0])
        else:
            pairs = np.unique(label * len(values) + code)
            share = (np.bincount(pairs // len(values), minlength=groups) - 1) / (len(values) - 1)
        spent += float((share * records).sum())
    return spent / (len(columns) * float(sizes.sum()))


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--k", type=int, nargs="+", default=SIZES)
    asked.add_argument("--peers", nargs="*", default=("anonypy",), choices=tuple(PEERS))
    options = asked.parse_args()
    print(machine())
    table = without_salary()
    names = [attribute.name for attribute in table.quasi_identifiers]
    columns = {name: table.counts.column(name).astype(np.int64) for name in names}
    print(f"{'':<28} {'k':>5} {'classes':>8} {'loss':>8} {'CPU, s':>9}")
    for k in options.k:
        for name, method in (
            ("mondrian", Mondrian(k=k)),
            ("local recoding, intervals", LocalRecoding(k=k, publish="intervals")),
        ):
            found = method.run(table).sources
            loss = lost({n: column[found.source] for n, column in columns.items()}, found.label, found.sizes)
            _row(name, k, found.groups, loss, cpu(lambda method=method: method.run(table)))
        for peer in options.peers:
            if importlib.util.find_spec(peer) is None:
                print(f"{peer} is not installed: skipped")
            else:
                _peer(peer, k, names)


def _peer(peer: str, k: int, names: list[str]) -> None:
    import pandas as pd

    frame = pd.read_csv(ADULT / "adult_arx.csv.gz")[names]
    for name in names:
        if name != "age":
            frame[name] = frame[name].astype("category")
    start = time.process_time()
    parts = PEERS[peer](frame, names, k)
    taken = time.process_time() - start
    label = np.empty(len(frame), dtype=np.int64)
    for number, part in enumerate(parts):
        label[frame.index.get_indexer(part)] = number
    columns = {n: (frame[n] if n == "age" else frame[n].cat.codes).to_numpy().astype(np.int64) for n in names}
    _row(peer, k, len(parts), lost(columns, label, np.ones(len(frame))), taken)


def _anonypy(frame: pd.DataFrame, names: list[str], k: int) -> list:
    from anonypy.mondrian import Mondrian as Theirs

    return Theirs(frame, names).partition(k=k)


def _anonypyx(frame: pd.DataFrame, names: list[str], k: int) -> list:
    from anonypyx import models
    from anonypyx.mondrian import Mondrian as Theirs

    return Theirs(frame, names).partition([models.kAnonymity(k)])


PEERS: dict[str, Callable[..., list]] = {"anonypy": _anonypy, "anonypyx": _anonypyx}


def _row(name: str, k: int, classes: int, loss: float, seconds: float) -> None:
    print(f"{name:<28} {k:>5} {classes:>8,} {loss:>8.4f} {seconds:>9.2f}", flush=True)


if __name__ == "__main__":
    main()
