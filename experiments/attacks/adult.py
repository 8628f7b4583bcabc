"""What attackers find on releases of Adult: linkage, inference, membership, against a control group (docs/attacks.md).

27,000 of the 30,162 records are published, 3,000 others are people who are not in the table. `occupation` is
sensitive, the attacker knows the other eight columns. 3,000 people are tried, drawn by seed 0, and all of the control
group; releases have fresh coins, so that figures of private ones differ a little from run to run.

Run: python experiments/attacks/adult.py
"""

from __future__ import annotations

import csv
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

import shoal
from shoal.attacks import Inference, Linkage, Membership
from shoal.attacks.interval import Difference
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.paths import Paths
from shoal.data.outcome import Outcome
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import frame_source

DATA = Path(os.environ.get("SHOAL_REFERENCE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
PUBLISHED, OTHERS = 27_000, 3_000
METHODS = (
    shoal.OptimalLattice(k=5),
    shoal.Mondrian(k=5),
    shoal.LocalRecoding(k=5),
    shoal.MDAV(k=5),
    shoal.NSVDist(k=5, diversity=2.0, mode=shoal.Mode.AS_PUBLISHED),
    shoal.SafePub(epsilon=1, delta="1e-5"),
    shoal.DiffGen(epsilon=1, target="occupation", show="groups"),
    shoal.MicroaggregationDP(epsilon=1),
)


def main() -> None:
    """Print a row for each method."""
    if not (DATA / "adult_arx").exists():
        sys.exit("skipped: the reference data shared/data/adult_arx is not beside the project")
    warnings.simplefilter("ignore", shoal.NoLedgerWarning)
    schema = declared()
    table = pc.read_csv(
        DATA / "adult_arx" / "adult_arx.csv.gz",
        convert_options=pc.ConvertOptions(column_types={column.name: pa.string() for column in schema}),
    )
    order = np.random.default_rng(0).permutation(len(table))
    people, others = table.take(order[:PUBLISHED]), table.take(order[PUBLISHED : PUBLISHED + OTHERS])
    asked = ("finds the record", "guesses `occupation`", "... of the control group")
    heads = ("release", *asked, "what being in it costs, in points", "tells members, points")
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for method in METHODS:
        outcome = method.anonymize(people, schema).outcome
        control = coded(others, schema, is_private=method.cost is not None)
        print(f"| `{method.name}` | {' | '.join(figures(outcome, control))} |", flush=True)


def figures(outcome: Outcome, control: EncodedTable) -> list[str]:
    """What each attack finds."""
    found = Linkage(known=1.0, targets=OTHERS).on(outcome)
    guessed = Inference(column="occupation", known=1.0, targets=OTHERS).on(outcome, control)
    told = Membership(targets=OTHERS).on(outcome, control)
    assert guessed.control is not None
    assert guessed.advantage is not None
    return [
        f"{'at most ' if found.is_bound else ''}{found.success.value:.1%}",
        f"{guessed.success.value:.1%}",
        f"{guessed.control.value:.1%}",
        points(guessed.advantage),
        points(told.advantage),
    ]


def points(found: Difference) -> str:
    """A difference in percentage points, with its interval."""
    return f"{100 * found.value:.1f} ({100 * found.low:.1f} to {100 * found.high:.1f})"


def declared() -> shoal.Schema:
    """Adult with ARX's hierarchies; their values are the declared domains."""
    schema = shoal.Schema(person="row")
    for path in sorted((DATA / "adult_arx" / "hierarchies").glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            rows = [tuple(row) for row in csv.reader(file)][1:]
        role = "sensitive" if path.stem == "occupation" else "quasi-identifier"
        hierarchy = Paths(tuple(row for row in rows if row[-1] == "*"), path.stem)
        schema = schema.with_column(path.stem, role=role, hierarchy=hierarchy)
    return schema


def coded(frame: pa.Table, schema: shoal.Schema, *, is_private: bool) -> EncodedTable:
    """People in the codes of the schema, as methods of that kind are given them."""
    names = [column.name for column in schema]
    return encode(LocalEngine(frame_source(frame)[0]), schema, names, absorb=is_private)


if __name__ == "__main__":
    main()
