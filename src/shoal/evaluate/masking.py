"""What masking by centers costs and what it hides: squared error, record linkage, means and variances.

All of it compares originals with what stands for them, so it is for the owner, and for research, only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from shoal.arrays import Floats
from shoal.cluster.centers import Center, squared_error
from shoal.cluster.showing import numbers
from shoal.cluster.space import CategoryAxis, NumberAxis, Space
from shoal.data.attribute import Attribute
from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.partition import Partition


@dataclass(frozen=True, eq=False)
class Masked:
    """Records beside the centers that are published instead of them.

    Attributes:
        table: The originals.
        partition: The cluster of each record.
        centers: Per column, the center of each cluster: steps from the lower bound, or a node.
    """

    table: EncodedTable
    partition: Partition
    centers: Sequence[Center]

    @cached_property
    def space(self) -> Space:
        """The axes of the columns."""
        return Space.of(self.table.attributes)

    def squared_error(self, *, scaled: bool = False) -> float:
        """SSE: squared distances between originals and what stands for them, over all records and columns.

        Numbers count in their own units, or, `scaled`, as shares of their domain's width; categories count by their
        semantic distance.

        Paper: Microaggregation-DP §5.2.
        """
        errors = squared_error(self.space, self.table.counts.codes, self.partition, self.centers)
        if scaled:
            units = (1 / self.space.scales).tolist()
        else:
            units = [_unit(attribute) for attribute in self.table.attributes]
        return float((errors * np.array(units) ** 2).sum())

    def record_linkage(self) -> float:
        """RL: the share of records that are linked by picking one of the originals nearest to what stands for them.

        Distances are those of Equation (8). If the record itself is among the g nearest, it counts 1/g, else 0.

        Paper: Microaggregation-DP §5.2, there in per cent.
        """
        from shoal.evaluate.linkage_kernel import nearest_shares

        counts, axes = self.table.counts, self.space.axes
        wide = [i for i in self.space.wide if isinstance(axes[i], NumberAxis)]
        trees = [i for i in self.space.wide if isinstance(axes[i], CategoryAxis)]
        tables = [axis.taxonomy.units / axis.width for i in trees if isinstance(axis := axes[i], CategoryAxis)]
        order = np.argsort(self.partition.label, kind="stable")
        linked = nearest_shares(
            _stack([self._numbers(i) for i in wide], len(counts)),
            _stack([_there(self.centers[i]) / axes[i].width for i in wide], self.partition.groups),
            _stack([counts.codes[i] for i in trees], len(counts)).astype(np.int32),
            _stack([self.centers[i] for i in trees], self.partition.groups).astype(np.int32),
            np.concatenate([np.zeros(0), *(table.ravel() ** 2 for table in tables)]),
            np.cumsum([0, *(table.size for table in tables)])[:-1].astype(np.int64),
            np.array([table.shape[1] for table in tables], dtype=np.int64),
            counts.sizes,
            np.cumsum(np.bincount(self.partition.label, minlength=self.partition.groups)).astype(np.int64),
            self.partition.source[order],
            self.partition.sizes[order],
        )
        return float(linked.sum()) / self.table.total

    def _numbers(self, i: int) -> Floats:
        axis = self.space.axes[i]
        assert isinstance(axis, NumberAxis)
        return axis.places(self.table.counts.codes[i], axis.middle) / axis.width

    def variation_of_means(self) -> dict[str, float]:
        """|mean′ − mean| / |mean| of every column of numbers; not a number where the mean is 0.

        Paper: Microaggregation-DP §5.4.
        """
        return {name: _variation(*means) for name, (means, _) in self._moments().items()}

    def variation_of_variances(self) -> dict[str, float]:
        """|variance′ − variance| / variance of every column of numbers; not a number where the variance is 0."""
        return {name: _variation(*variances) for name, (_, variances) in self._moments().items()}

    def _moments(self) -> dict[str, tuple[tuple[float, float], tuple[float, float]]]:
        """Mean and variance of every column of numbers, before and after; missing numbers aside."""
        found = {}
        for i, attribute in enumerate(self.table.attributes):
            axis = self.space.axes[i]
            if isinstance(attribute.domain, Grid) and isinstance(axis, NumberAxis):
                before = numbers(attribute.domain, axis.places(self.table.counts.codes[i], np.nan))
                after = numbers(attribute.domain, self.centers[i])
                (m, v), (mm, vv) = (
                    _mean_and_variance(before, self.table.counts.sizes),
                    _mean_and_variance(after, self.partition.totals),
                )
                found[attribute.name] = ((m, mm), (v, vv))
        return found


@dataclass(frozen=True, slots=True)
class Improvement:
    """How much better one masking is than another, in loss and in risk.

    Attributes:
        error: √SSE of the baseline by √SSE.
        linkage: RL of the baseline by RL.

    Paper: Microaggregation-DP §5.2.
    """

    error: float
    linkage: float

    @staticmethod
    def over(baseline: tuple[float, float], masking: tuple[float, float]) -> Improvement:
        """From SSE and RL of both."""
        (sse_0, linked_0), (sse, linked) = baseline, masking
        return Improvement(sqrt(sse_0 / sse), linked_0 / linked if linked else float("inf"))

    @property
    def score(self) -> float:
        """The product; above 1 the masking is better on balance."""
        return self.error * self.linkage


def alone(table: EncodedTable) -> Partition:
    """Every record in a cluster of its own: the baseline without microaggregation."""
    source = np.repeat(np.arange(len(table.counts)), table.counts.sizes)
    return Partition(source, np.arange(len(source)), np.ones(len(source), dtype=np.int64))


def _unit(attribute: Attribute) -> float:
    """What one step of a column is in its own units; days and semantic distances are 1."""
    domain = attribute.domain
    return domain.step / 10**domain.decimals if isinstance(domain, Grid) else 1.0


def _there(center: Center) -> Floats:
    """Centers of numbers, the missing ones in the middle of nowhere."""
    values = np.asarray(center, dtype=np.float64)
    return np.where(np.isnan(values), 0.0, values)


def _stack(rows: Sequence[object], length: int) -> Floats:
    return np.array(rows, dtype=np.float64).reshape(len(rows), length)


def _mean_and_variance(values: Floats, weights: object) -> tuple[float, float]:
    known = ~np.isnan(values)
    held = np.asarray(weights, dtype=np.float64)[known]
    mean = float(np.average(values[known], weights=held))
    return mean, float(np.average((values[known] - mean) ** 2, weights=held))


def _variation(before: float, after: float) -> float:
    return abs(after - before) / abs(before) if before else float("nan")
