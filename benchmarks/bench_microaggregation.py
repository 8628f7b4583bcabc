"""Clustering: MDAV and insensitive microaggregation, exact and in blocks; CPU time on one core, compiling aside.

Records are random, six columns, nearly all different: the hardest case. The baseline is MDAV as one writes it in NumPy.
What blocks lose is measured on the numbers of Adult too, with their long tails, if the reference data are there.
"""

from __future__ import annotations

import numpy as np
from common import ADULT, cpu, machine

from shoal.cluster.centers import centers, lost_share, standardized
from shoal.cluster.insensitive import insensitive_clusters
from shoal.cluster.mdav import mdav_clusters
from shoal.cluster.orders import References
from shoal.cluster.space import NumberAxis, Space
from shoal.data.counts import Counts

WIDTHS = (73, 15, 8, 99, 40, 6)
SPACE = Space(tuple(NumberAxis(f"x{i}", width) for i, width in enumerate(WIDTHS)))


def records(number: int) -> Counts:
    rng = np.random.default_rng(1)
    center = rng.random((number, 1))  # columns that go together, as columns of people do
    spread = np.clip(center + rng.normal(0, 0.2, (number, len(WIDTHS))), 0, 1)
    codes = [np.rint(spread[:, i] * width).astype(np.uint8) for i, width in enumerate(WIDTHS)]
    return Counts.of([axis.name for axis in SPACE.axes], codes, [width + 1 for width in WIDTHS])


def lost(counts: Counts, k: int, space: Space = SPACE, **more: int) -> float:
    partition = mdav_clusters(space, counts.codes, counts.sizes, k, **more)
    return lost_share(space, counts.codes, partition, centers(space, counts.codes, partition))


def plain(points: np.ndarray, k: int) -> None:
    """MDAV in NumPy, all distances from each record anew."""
    left = points
    while len(left) >= 3 * k:
        center = left.mean(axis=0)
        for _ in range(2):
            center = left[np.square(left - center).sum(axis=1).argmax()]
            away = np.square(left - center).sum(axis=1)
            left = left[np.argpartition(away, k)[k:]]


def _adult_blocks() -> None:
    """What blocks lose on the six numbers of Adult, standardized."""
    import pyarrow.csv as pc

    path = ADULT.parent / "adult" / "adult_train.csv.gz"
    if not path.exists():
        print(f"\nskipped: {path.name} is not beside the project")
        return
    frame = pc.read_csv(path)
    numbers = {name: frame[name].to_numpy() for name in frame.column_names if frame[name].type == "int64"}
    codes = [column - column.min() for column in numbers.values()]
    counts = Counts.of(list(numbers), codes, [int(column.max()) + 1 for column in codes])
    axes = [NumberAxis(name, int(column.max())) for name, column in zip(numbers, codes, strict=True)]
    space = standardized(Space(tuple(axes)), counts.codes, counts.sizes)
    for k in (5, 10):
        exact = lost(counts, k, space)
        shares = [f"{block:,}: {lost(counts, k, space, block=block) / exact:.3f}" for block in (3_000, 10_000, 20_000)]
        print(f"Adult, {len(counts):,} distinct, k = {k}: exact {exact:.5f}; in blocks of {', '.join(shares)}")


def main() -> None:
    print(machine())
    small = records(30_162)
    mdav_clusters(SPACE, *_first(small, 100), 5)  # compiles
    insensitive_clusters(SPACE, *_first(small, 100), 5)
    print(f"\n30,162 records, {len(small):,} distinct, six columns")
    rows = np.repeat(np.stack([c / w for c, w in zip(small.codes, WIDTHS, strict=True)], axis=1), small.sizes, axis=0)
    for k in (5, 50):
        ours = cpu(lambda k=k: mdav_clusters(SPACE, small.codes, small.sizes, k))
        numpy = cpu(lambda k=k: plain(rows, k), repeat=1)
        print(f"MDAV, k = {k:<3} {ours:8.3f} s   NumPy {numpy:6.2f} s, {numpy / ours:.1f} times as long")
        for references in (References.ONE, References.CORNERS):
            time = cpu(lambda k=k, r=references: insensitive_clusters(SPACE, small.codes, small.sizes, k, r))
            print(f"insensitive, {references.value}, k = {k:<3} {time:8.3f} s")

    print("\nblocks: seconds, and what is lost (SSE/SST) by what the exact clusters lose, k = 5")
    exact = lost(small, 5)
    for block in (1_000, 3_000, 10_000):
        time = cpu(lambda block=block: mdav_clusters(SPACE, small.codes, small.sizes, 5, block=block))
        print(f"30,162 records in blocks of {block:>6,}: {time:6.3f} s, {lost(small, 5, block=block) / exact:.3f}")

    _adult_blocks()

    middle = records(300_000)
    print(f"\n300,000 records, {len(middle):,} distinct, exact")
    for k in (10, 3):
        print(f"MDAV, k = {k:<3} {cpu(lambda k=k: mdav_clusters(SPACE, middle.codes, middle.sizes, k), 1):8.1f} s")

    large = records(1_200_000)
    print(f"\n1,200,000 records, {len(large):,} distinct")
    for references, k in ((References.ONE, 100), (References.CORNERS, 1000)):
        time = cpu(lambda r=references, k=k: insensitive_clusters(SPACE, large.codes, large.sizes, k, r))
        print(f"insensitive, {references.value}, k = {k:<4} {time:8.2f} s")
    for block in (50_000, 300_000):
        time = cpu(lambda block=block: mdav_clusters(SPACE, large.codes, large.sizes, 5, block=block), repeat=1)
        print(f"MDAV, k = 5, blocks of {block:>7,}: {time:8.1f} s")


def _first(counts: Counts, rows: int) -> tuple[list[np.ndarray], np.ndarray]:
    return [column[:rows] for column in counts.codes], counts.sizes[:rows]


if __name__ == "__main__":
    main()
