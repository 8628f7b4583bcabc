"""What chance did to a column: for the owner, who must judge a method that proves nothing."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Keys
from shoal.methods.k_epsilon.records import Records
from shoal.risk import ClassedNumbers, links_found


def change_measured(name: str, true: Keys, published: Keys, records: Records, *, ordered: bool) -> dict[str, float]:
    """How many cells changed, and for ordered values how many records the nearest original would be linked with.

    The linking risk is that of somebody who knows the true values of everybody and takes the nearest one, among the
    records that look alike in all other columns; where several are as near, they guess.
    """
    if not len(true):
        return {}
    figures = {f"changed cells ({name})": float((true != published).mean())}
    if ordered:
        _, labels = np.unique(records.labels, return_inverse=True)
        classed = ClassedNumbers(true, labels, int(labels.max()) + 1)
        figures[f"linking risk ({name})"] = links_found(classed, published).fair_risk
    return figures
