"""How much noise the perturbed columns of (k, ε)-anonymity get."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from shoal.data.domain import Grid
from shoal.methods.base import Mode
from shoal.methods.k_epsilon import KEpsilon
from shoal.methods.k_epsilon.bounds import widest_bounds
from shoal.parameters import exact
from shoal.plan.expecting.clipped_noise import laplace_at_an_end, laplace_error
from shoal.plan.expecting.expectation import Expectation
from shoal.plan.expecting.public_table import in_units
from shoal.plan.expecting.words import number, share_in_words

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable

_USELESS = 0.2
"""Off by so much of the domain: its middle, published for everybody, is off by a quarter if numbers spread evenly."""
_USEFUL = 0.1
_AVERAGED = 100


def expected_of_k_epsilon(method: KEpsilon, table: EncodedTable) -> Expectation:
    """The noise of each perturbed column, by the widest public bounds that a class can have."""
    said, warnings, better = [], [], []
    figures: dict[str, float] = {}
    several, epsilon = len(method.perturbed), float(exact(method.epsilon))
    for name in method.perturbed:
        attribute = table[name]
        if not isinstance(attribute.domain, Grid) or not attribute.domain.steps:
            continue
        whole = attribute.domain.steps
        width = whole if method.mode is Mode.AS_PUBLISHED else widest_bounds(table, name, method.bounds)
        scale = several * width / epsilon
        off = laplace_error(scale, whole) if method.stays_within_domain else scale
        variance = 1 + 24 * (scale / whole) ** 2
        figures |= {f"noise of {name}": off / whole, f"variance of {name}": variance}
        at_most = "at most " if method.mode is Mode.AS_PUBLISHED or method.bounds_share else ""
        said.append(
            f"Numbers of {name!r} are off by {at_most}{share_in_words(off / whole)} of the domain, "
            f"{in_units(attribute, off)} on average."
        )
        if method.stays_within_domain and (end := laplace_at_an_end(scale, whole)) > 0.1:
            figures[f"at an end of {name}"] = end
            said.append(
                f"Of those in the middle of the domain {end:.0%} come out at one of its ends, and more of the others: "
                "averages are drawn to the middle, and single numbers say little."
            )
        elif not method.stays_within_domain:
            mean = sqrt(2 / _AVERAGED) * scale
            said.append(
                f"The average over {_AVERAGED} records is off by {in_units(attribute, mean)}; the variance is "
                f"{number(variance)} times as large as that of numbers spread evenly."
            )
        if off / whole >= _USELESS and method.mode is Mode.RIGOROUS:
            warnings.append(
                f"{name!r}: the noise hides nearly all of the domain; its middle, published for everybody, would be "
                "off by a quarter if values are spread evenly. Nothing of use can be expected of single numbers."
            )
            enough = several * width / (_USEFUL * whole)
            better.append(f"epsilon = {number(enough)}: {name!r} off by about a tenth of its domain.")
            better.append(
                f"bounds for {name!r} from public knowledge (noise shrinks as they do), or {name!r} left to the "
                f"anonymizer: classes of {method.k} are often narrower than this noise."
            )
    if several > 1 and warnings:
        better.append(
            f"Fewer perturbed columns: {several} of them share ε, so that each has {several} times the noise."
        )
    return Expectation(said=tuple(said), warnings=tuple(warnings), better=tuple(dict.fromkeys(better)), figures=figures)
