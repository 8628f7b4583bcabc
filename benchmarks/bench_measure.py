"""`shoal.measure` on Adult as it is and 5-anonymous, a whole call on a data frame; beside pycanon if it is installed.

Where both mean the same the numbers are compared; where they do not, `docs/measure.md` says why.
"""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import pandas as pd
from common import ADULT, adult_schema, cpu, machine

import shoal


def main() -> None:
    print(machine())
    schema = adult_schema().with_column("occupation", role="sensitive")
    raw = pd.read_csv(ADULT / "adult_arx.csv.gz")
    coarse = shoal.OptimalLattice(k=5, suppression_limit=0.04).anonymize(raw, schema).data
    print(f"\n{'CPU seconds':<34} {'records':>8} {'classes':>8} {'Shoal':>8} {'pycanon':>8}")
    for name, frame in (("Adult as it is", raw), ("Adult, 5-anonymous", coarse)):
        found = shoal.measure(frame, schema)
        ours = cpu(lambda frame=frame: shoal.measure(frame, schema))
        theirs = _pycanon(frame, found) if found.classes < 2_000 else "too many"
        print(f"{name:<34} {found.records:>8,} {found.classes:>8,} {ours:>8.3f} {theirs:>8}")


def _pycanon(frame: Any, found: shoal.Measures) -> str:
    """Seconds for the same measures, one after the other, as their functions go."""
    if importlib.util.find_spec("pycanon") is None:
        return "none"
    from pycanon import anonymity

    quasi, sensitive = list(found.quasi_identifiers), ["occupation"]
    frame, one = frame.reset_index(drop=True).astype(str), found.sensitive[0]
    start = time.process_time()
    got = {
        "k": (anonymity.k_anonymity(frame, quasi), found.k),
        "distinct": (anonymity.l_diversity(frame, quasi, sensitive), one.distinct),
        "entropy, whole part": (anonymity.entropy_l_diversity(frame, quasi, sensitive), int(one.entropy + 1e-9)),
        "closeness": (anonymity.t_closeness(frame, quasi, sensitive), one.closeness),
        "likeness": (anonymity.basic_beta_likeness(frame, quasi, sensitive), one.likeness),
        "disclosure, present": (anonymity.delta_disclosure(frame, quasi, sensitive), one.disclosure_present),
    }
    seconds = time.process_time() - start
    for what, (theirs, ours) in got.items():
        assert abs(theirs - ours) <= 1e-9 * max(1.0, abs(ours)), (what, theirs, ours)
    return f"{seconds:.1f}"


if __name__ == "__main__":
    main()
