"""The nearest-neighbor attack on noisy numbers: how many published records it links to the right originals.

The attacker knows the original numbers and the class of every record, and takes for the origin of a published number
the nearest original of its class. As published, a tie counts as a success for every tied record; the fair count gives
1 / (number of tied records), the chance of somebody who has to name one of them (theory KE-7).

Paper: (k, ε)-anonymity §V-B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.risk.classed import ClassedNumbers


@dataclass(frozen=True, slots=True)
class Links:
    """Links, or how many are expected.

    Attributes:
        published: With every tied record a success, as the paper counts.
        fair: With one record to be named.
        records: Of how many records.
    """

    published: float
    fair: float
    records: int

    @property
    def risk(self) -> float:
        """The linking risk of the paper."""
        return self.published / max(self.records, 1)

    @property
    def fair_risk(self) -> float:
        """The chance of somebody who has to name one record."""
        return self.fair / max(self.records, 1)


def expected_links(original: ClassedNumbers, scales: Floats) -> Links:
    """How many records are linked on average, if class c gets Laplace noise of scale `scales[c]`: exactly.

    A record at the distinct value v_i is linked with probability
    1 − e^(−(v_i − v_{i−1}) / 2b) / 2 − e^(−(v_{i+1} − v_i) / 2b) / 2, the terms of missing neighbors left out.

    >>> two = ClassedNumbers.of([[150, 160, 170, 180], [165, 168, 171]])
    >>> round(expected_links(two, two.diameters / 2).risk, 6)
    0.519621
    """
    places, times = np.unique(original.places(original.numbers, original.labels), return_counts=True)
    label = np.searchsorted(original._starts, places, side="right") - 1  # noqa: SLF001  the line is its own
    is_near = label[1:] == label[:-1]
    gaps = np.diff(places)
    twice = 2 * np.asarray(scales, dtype=np.float64)[label[1:]]
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(is_near & (twice > 0), np.exp(-gaps / twice) / 2, 0.0)
    linked = np.ones(len(places))
    linked[1:] -= lost
    linked[:-1] -= lost
    return Links(float((linked * times).sum()), float(linked.sum()), len(original))


def links_found(original: ClassedNumbers, noisy: Sizes) -> Links:
    """How many records are linked in one release; `noisy[i]` is what was published for record i.

    >>> links_found(ClassedNumbers.of([[150, 160, 170]]), np.array([149, 168, 166])).published
    2.0
    """
    labels = original.labels
    inside = np.clip(noisy, original.lows[labels], original.highs[labels])  # beyond the ends the nearest is the end
    line, place = original.line, original.places(inside, labels)
    above = line[np.searchsorted(line, place, side="left")]
    below = line[np.searchsorted(line, place, side="right") - 1]
    nearest = np.minimum(above - place, place - below)
    own = np.abs(original.places(original.numbers, labels) - place)
    hits = own == nearest
    tied = original.count_within(inside - nearest, inside - nearest, labels)
    tied += np.where(nearest > 0, original.count_within(inside + nearest, inside + nearest, labels), 0)
    return Links(float(hits.sum()), float((hits / tied).sum()), len(original))
