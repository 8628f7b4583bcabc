"""Algorithm 1 on a whole table, or on each cluster of a large one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Mask, Sizes
from shoal.criteria import Criterion, KAnonymity
from shoal.errors import InfeasibleError
from shoal.methods.mondrian.judged import judged_classes
from shoal.methods.nsvdist.feasibility import cap, fillable
from shoal.methods.nsvdist.settings import Measure, Ties
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.judge import Judge
from shoal.parameters import exact
from shoal.progress import Progress

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.methods.nsvdist.greedy import Masked
    from shoal.methods.nsvdist.method import NSVDist

_TASK = {
    Measure.LOSS: "masking records",
    Measure.ENTROPY: "masking records (entropy: every pick looks at all)",
}


def as_published(
    method: NSVDist, table: EncodedTable, is_interval: Mask, weights: Floats, progress: Progress
) -> tuple[Masked, dict[str, object]]:
    """The closure of every record, and how it was found."""
    from shoal.methods.nsvdist.entropy import EntropyPrices
    from shoal.methods.nsvdist.greedy import Masked, masked
    from shoal.methods.nsvdist.layout import Wanted
    from shoal.methods.nsvdist.space import Prices, Space

    most = cap(method.k, exact(method.diversity))
    caps = np.full(len(table.sensitive), most, dtype=np.int32)
    wanted = Wanted(method.k, caps, method.ties is Ties.LEAST_USED)
    entropy = EntropyPrices.of(table, is_interval, weights) if method.measure is Measure.ENTROPY else None
    prices = entropy or Prices.loss_metric(table.quasi_identifiers, is_interval, weights)
    clusters = _clusters(method, table)
    finished = 0

    def done(records: int) -> None:
        nonlocal finished
        finished += records
        progress(_TASK[method.measure], finished / table.total)

    parts = []
    for rows, sizes in clusters:
        space = Space.of(table, prices, rows, sizes)
        values = None if entropy is None else entropy.values(space)
        parts.append(masked(space, prices, wanted, done, values=values))
    found = Masked.joined(parts)
    if found.stuck:
        raise InfeasibleError(
            f"for {found.stuck:,} records no {method.k:,} records were found that are diverse in all "
            f"{len(table.sensitive)} sensitive columns at once, although each column alone allows it; lower "
            "diversity, or use the rigorous mode."
        )
    search: dict[str, object] = {"clusters": len(clusters), "records of one value in a set": most}
    if method.measure is Measure.ENTROPY:
        search["scan"] = "every pick looked at every record, for the entropy measure is not monotone"
    return found, search


def _clusters(method: NSVDist, table: EncodedTable) -> list[tuple[Keys, Sizes]]:
    """The distinct records of each cluster; one cluster unless the table is large (§4.3).

    A cut is made only if Algorithm 1 can finish on both sides (theory NS-8).
    """
    counts = table.counts
    if table.total <= method.cluster_size:
        return [(np.arange(len(counts)), counts.sizes)]
    criteria: tuple[Criterion, ...] = (
        KAnonymity(method.cluster_size // 2),
        *fillable(table, method.k, exact(method.diversity)),
    )
    cells = Cells.of(table, method.publish, method.weights)
    partition = judged_classes(cells, Judge(table, criteria), is_relaxed=False)
    order = np.argsort(partition.label, kind="stable")
    starts = np.searchsorted(partition.label[order], np.arange(partition.groups + 1))
    return [
        (partition.source[order[first:end]], partition.sizes[order[first:end]])
        for first, end in pairwise(starts.tolist())
    ]
