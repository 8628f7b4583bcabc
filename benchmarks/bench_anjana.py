"""k-anonymity by anjana and by Shoal on the bundled patients: CPU seconds of a call, records left out, loss.

anjana is not among Shoal's dependencies: `pip install --no-deps --target peers anjana pycanon beartype`, and `peers` in
`PYTHONPATH`. It generalizes the column with the most different values until k holds, and leaves out what then fails.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import shoal
from shoal.examples import write_example

K, LEFT_OUT = 5, 0.05
COLUMNS = ("age", "sex", "zip", "occupation", "insurance")
WIDTHS = (5, 10, 20)


def main() -> None:
    try:
        from anjana.anonymity import k_anonymity
    except ImportError:
        print("skipped: anjana is not installed (see the first lines of this script)")
        return
    with tempfile.TemporaryDirectory() as folder:
        write_example(Path(folder))
        patients = pd.read_csv(Path(folder) / "patients.csv", dtype=str)[[*COLUMNS, "diagnosis"]].fillna("none")
        named = {name: shoal.from_csv(Path(folder) / "hierarchies" / f"{name}.csv") for name in ("zip", "occupation")}
    schema = _schema(named)
    levels = {name: _levels(schema, name, sorted(set(patients[name]))) for name in COLUMNS}
    print(f"{len(patients):,} patients, {len(COLUMNS)} quasi-identifiers, k = {K}, at most {LEFT_OUT:.0%} left out")
    for number in (3, 5):
        names = list(COLUMNS[:number])
        table = patients[[*names, "diagnosis"]]
        start = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            theirs = k_anonymity(table, [], names, K, LEFT_OUT * 100, {name: dict(levels[name]) for name in names})
        _tell("anjana 1.2.3", names, theirs, levels, len(table), time.process_time() - start)
        some = shoal.Schema(tuple(column for column in schema if column.name in table), person="row")
        method = shoal.OptimalLattice(k=K, suppression_limit=LEFT_OUT)
        given = table.where(table != "none", None)
        method.anonymize(given, some)  # what is loaded once
        start = time.process_time()
        ours = method.anonymize(given, some).data
        _tell("shoal, optimal-lattice", names, ours.fillna("none"), levels, len(table), time.process_time() - start)


def _schema(named: dict[str, Any]) -> shoal.Schema:
    return (
        shoal.Schema(person="row")
        .with_column("age", role="quasi-identifier", domain=(0, 99), hierarchy=shoal.intervals(*WIDTHS))
        .with_column("sex", role="quasi-identifier", domain=["female", "male"])
        .with_column("zip", role="quasi-identifier", hierarchy=named["zip"])
        .with_column("occupation", role="quasi-identifier", missing=True, hierarchy=named["occupation"])
        .with_column("insurance", role="quasi-identifier", missing=True, domain=["public", "private"])
        .with_column("diagnosis", role="sensitive")
    )


def _levels(schema: shoal.Schema, name: str, values: list[str]) -> dict[int, np.ndarray[Any, Any]]:
    """The hierarchy of a column as anjana takes it: for each level an array, beside the values."""
    if name == "age":
        bands = [[f"{int(v) // w * w}-{int(v) // w * w + w - 1}" for v in values] for w in WIDTHS]
        return dict(enumerate(map(np.array, [values, *bands, ["*"] * len(values)])))
    hierarchy: Any = schema[name].hierarchy
    if hierarchy is None:
        return {0: np.array(values), 1: np.array(["*"] * len(values))}
    paths = {row[0]: row for row in hierarchy.rows}
    height = max(map(len, paths.values()))
    rows = [paths.get(value, (value,)) for value in values]
    rows = [(*row, *[row[-1]] * (height - 1 - len(row)), "*")[:height] for row in rows]
    return {level: np.array([row[level] for row in rows]) for level in range(height)}


def _tell(who: str, names: list[str], made: Any, levels: Any, records: int, seconds: float) -> None:
    """The loss metric: (values that a cell may stand for − 1) / (values of the column − 1); 1 for what is left out."""
    lost = float(len(names) * (records - len(made)))
    for name in names:
        values = levels[name][0]
        stands = {cell: len(set(values[by == cell])) for by in levels[name].values() for cell in set(by)}
        lost += sum((stands.get(str(cell), len(values)) - 1) / (len(values) - 1) for cell in made[name])
    print(
        f"{len(names)} columns  {who:24} {seconds:6.2f} s  {records - len(made):4} left out  "
        f"loss {lost / records / len(names):.3f}"
    )


if __name__ == "__main__":
    main()
