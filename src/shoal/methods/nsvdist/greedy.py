"""Algorithm 1 on all records of a space: chunks of seeds, on all cores, with progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice

import numpy as np

from shoal.arrays import Keys, Nodes, Sizes
from shoal.methods.nsvdist.kernel import greedy
from shoal.methods.nsvdist.layout import Closures, Wanted, empty
from shoal.methods.nsvdist.scan_kernel import Values, scan
from shoal.methods.nsvdist.space import Prices, Space

_CHUNK = 128
"""Seeds between two reports of progress."""


@dataclass(frozen=True, eq=False)
class Masked:
    """Closures of some records of a table.

    Attributes:
        source: The distinct record each closure masks.
        sizes: For how many records of it.
        low: `[column, closure]`: the lowest leaf of an interval, the node of a tree.
        high: The highest leaf; the node again.
        sets: Whose distribution each shows.
        counts: `[set, combination of sensitive values]`: records of it.
        member: `[closure, 0…k−1]`: the distinct records of its set, the masked one first; empty if not asked for.
        stuck: How many records could not be given k records.
    """

    source: Keys
    sizes: Sizes
    low: Nodes
    high: Nodes
    sets: Keys
    counts: Nodes
    member: Nodes
    stuck: int

    @staticmethod
    def joined(parts: list[Masked]) -> Masked:
        """The closures of several spaces of one table."""
        before = np.cumsum([0, *(len(part.counts) for part in parts)])
        return Masked(
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.sizes for part in parts]),
            np.concatenate([part.low for part in parts], axis=1),
            np.concatenate([part.high for part in parts], axis=1),
            np.concatenate([part.sets + first for part, first in zip(parts, before[:-1], strict=True)]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.member for part in parts]),
            sum(part.stuck for part in parts),
        )


def masked(
    space: Space,
    prices: Prices,
    wanted: Wanted,
    done: Callable[[int], None],
    *,
    values: Values | None = None,
    members: bool = False,
) -> Masked:
    """The closure of every record of a space; `done` is told how many more records have theirs.

    Equal records get equal closures, unless ties go to the record used least so far: then each record is a seed of its
    own, and one core does them one after the other, in the order of the table.

    Args:
        space: The records.
        prices: What generalizing costs.
        wanted: The sets wanted.
        done: Told of progress.
        values: The values of all columns, for the entropy measure; none for the loss metric.
        members: Whether to return the sets as well.
    """
    records = space.records
    if wanted.fair:
        seeds = np.repeat(np.argsort(records.rank), records.size[np.argsort(records.rank)])
        sizes = np.ones(len(seeds), dtype=np.int64)
    else:
        seeds, sizes = np.arange(len(space.rows)), records.size.astype(np.int64)
    used = np.zeros(len(space.rows) if wanted.fair else 0, dtype=np.int64)
    trees, blocks = prices.trees, space.blocks

    def work(start: int) -> Closures:
        some = seeds[start : start + _CHUNK]
        room = empty(len(prices.attributes), len(some), space.combinations, wanted.k if members else 0)
        if values is None:
            greedy(some, records, trees, blocks, wanted, used, room)
        else:
            scan(some, records, trees, values, wanted, used, room)
        return room

    starts = list(range(0, len(seeds), _CHUNK))
    threads = 1 if wanted.fair or len(starts) == 1 else _cores()
    found: dict[int, Closures] = {}
    for start, room in _worked(work, starts, threads):
        found[start] = room
        done(int(sizes[start : start + _CHUNK].sum()))
    rooms = [found[start] for start in starts]
    return Masked(
        space.rows[seeds],
        sizes,
        np.concatenate([room.low for room in rooms], axis=1),
        np.concatenate([room.high for room in rooms], axis=1),
        np.arange(len(seeds)),
        np.concatenate([room.counts for room in rooms]),
        space.rows[np.concatenate([room.member for room in rooms])].astype(np.int32),
        int(sum(room.stuck.sum() for room in rooms)),
    )


def _worked(work: Callable[[int], Closures], starts: list[int], threads: int) -> Iterator[tuple[int, Closures]]:
    """Pieces of work as they are finished; the kernels let go of the interpreter's lock."""
    if threads == 1:
        for start in starts:
            yield start, work(start)
        return
    waiting = iter(starts)
    with ThreadPoolExecutor(threads) as pool:
        running: dict[Future[Closures], int] = {
            pool.submit(work, start): start for start in islice(waiting, 2 * threads)
        }
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                start = running.pop(future)
                for following in islice(waiting, 1):
                    running[pool.submit(work, following)] = following
                yield start, future.result()


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
