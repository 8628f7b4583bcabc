"""How many records SafePub publishes, and at what detail."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats
from shoal.audit.confidence import upper_tail
from shoal.methods.safepub import SafePub
from shoal.plan.expecting.expectation import Expectation
from shoal.plan.expecting.public_table import values_of
from shoal.plan.expecting.words import number, share_in_words

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.encoded import EncodedTable

_LITTLE = 0.1
"""A scheme that keeps less detail than this, of what the original has, says next to nothing."""
_FEW = 20
"""Classes of which a table cannot be told: where a scheme is chosen by noise, it may publish half of that, or none."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A scheme under which records that are spread evenly would lose least.

    Attributes:
        levels: The level of each column.
        groups: How many combinations of values it has.
        published: The share of drawn records in classes of k or more.
        detail: What is kept of the detail of all columns, from 0 to 1: 1 less the loss metric, averaged.
    """

    levels: tuple[int, ...]
    groups: int
    published: float
    detail: float


def expected_of_safepub(method: SafePub, table: EncodedTable, records: int | None) -> Expectation:
    """Records drawn and published, and how coarse, if records are spread evenly over combinations of values."""
    rate, k = float(method.rate), method.k
    alike = ceil(k / rate)
    said = [f"{rate:.0%} of the records are drawn; about {alike:,} of the table must look alike in all columns."]
    figures: dict[str, float] = {"sampling rate": rate, "k": k, "alike": alike}
    if records is None:
        said.append("Say about how many records there are, and more can be told.")
        return Expectation(said=tuple(said), figures=figures)
    best = fitting_scheme(method, table, records)
    published = records * rate * best.published
    most = int(records * rate / k)
    figures |= {"records": published, "detail": best.detail, "classes at most": most, "groups": best.groups}
    all_values = prod(values_of(a) for a in table.attributes)
    said += [
        (
            f"Of {records:,} records expect about {number(published)} to be published ({published / records:.0%}), or "
            f"a fifth fewer where values crowd, in at most {most:,} classes; there are {number(all_values)} "
            "combinations of values."
        ),
        (
            f"Spread evenly, they would keep {share_in_words(best.detail)} of their detail: "
            f"{_levels(table.attributes, best)}. "
            "Columns that depend on each other, or values that crowd, keep more."
        ),
    ]
    warnings: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    if most < 1 or published < k:
        warnings = (
            (
                f"Of about {records:,} records none can be expected to be published: not even all of them alike are "
                f"{alike:,}."
            ),
        )
        better = (
            (
                f"At least {number(20 * alike)} records; a larger epsilon or delta; or, without differential privacy, "
                "local-recoding, which keeps nearly all records."
            ),
        )
    elif most < _FEW or best.detail < _LITTLE or published < _LITTLE * records:
        kept = share_in_words(best.detail)
        warnings = (f"Expect little: {number(published)} records in {most:,} classes at most, {kept} of their detail.",)
        better = (
            (
                "Fewer columns, or coarser ones; a larger epsilon or delta; for counts a method that publishes noisy "
                "counts; without differential privacy local-recoding, which keeps nearly all records."
            ),
        )
    return Expectation(said=tuple(said), warnings=warnings, better=better, figures=figures)


def share_published(records: int, groups: int, rate: float, k: int) -> float:
    """The share of drawn records that are in classes of k or more, if each of the groups has n/groups records.

    A drawn record is published if k − 1 of the others of its group are drawn too: P[Bin(n/groups − 1, β) >= k − 1].
    """
    others = records // groups - 1
    return upper_tail(k - 1, others, rate) if others >= 0 else 0.0


def fitting_scheme(method: SafePub, table: EncodedTable, records: int) -> Scheme:
    """The scheme with the most detail published, found from the top by one refinement after another.

    A scheme that is given is taken as it is.
    """
    rate, k = float(method.rate), method.k
    sizes = [_sizes(a) for a in table.attributes]
    kept = [_detail(a) for a in table.attributes]
    floors = [method.floors.get(a.name, 0) for a in table.attributes]

    def judged(levels: tuple[int, ...]) -> Scheme:
        groups = prod(size[level] for size, level in zip(sizes, levels, strict=True))
        detail = sum(of[level] for of, level in zip(kept, levels, strict=True)) / max(len(levels), 1)
        return Scheme(levels, groups, share_published(records, groups, rate, k), detail)

    if len(method.schemes) == 1:
        return judged(tuple(method.schemes[0].get(a.name, 0) for a in table.attributes))
    best = judged(tuple(len(size) - 1 for size in sizes))
    while True:
        finer = [
            judged((*best.levels[:i], level - 1, *best.levels[i + 1 :]))
            for i, level in enumerate(best.levels)
            if level > floors[i]
        ]
        following = max(finer, key=lambda one: one.published * one.detail, default=None)
        if following is None or following.published * following.detail <= best.published * best.detail:
            return best
        best = following


def _widths(attribute: Attribute) -> list[Floats]:
    """Per level how many values each of its groups has; what the domain does not hold is nobody's value."""
    here = np.ones(attribute.domain.size)
    if attribute.absorbs and attribute.domain.missing is not None:
        here[attribute.domain.missing] = 0
    widths = [
        np.asarray(np.bincount(level.codes, weights=here), dtype=np.float64) for level in attribute.hierarchy.levels
    ]
    return [of[of > 0] for of in widths]


def _sizes(attribute: Attribute) -> list[int]:
    return [len(widths) for widths in _widths(attribute)]


def _detail(attribute: Attribute) -> list[float]:
    """Per level 1 less the loss metric: where values are equally frequent, a group of w of L loses (w − 1)/(L − 1)."""
    values = values_of(attribute)
    return [1 - float((w * (w - 1)).sum()) / max(values * (values - 1), 1) for w in _widths(attribute)]


def _levels(attributes: tuple[Attribute, ...], scheme: Scheme) -> str:
    said = []
    for attribute, level in zip(attributes, scheme.levels, strict=True):
        size = _sizes(attribute)[level]
        words = "as it is" if level == 0 else "hidden" if size == 1 else f"in {size} groups"
        said.append(f"{attribute.name!r} {words}")
    return ", ".join(said)
