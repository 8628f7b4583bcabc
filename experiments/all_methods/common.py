"""What all methods are compared on: tables with public domains and hierarchies, and what rivals publish of them."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

sys.path += [str(Path(__file__).resolve().parents[1] / where) for where in (".", "marginals")]
from queries import class_marginals, rows_of
from workbench import DATA

from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.methods.marginals.method import Marginals
from shoal.pipeline import publish
from shoal.plan.plan import Plan

ADULT = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
CENSUS = (
    "age class_of_worker education marital_status major_industry major_occupation race sex tax_filer_status "
    "household_summary citizenship weeks_worked income"
)


@dataclass(frozen=True)
class Table:
    """Where a table is, what it is to predict, and what is public about it."""

    file: str
    target: str
    numbers: dict[str, tuple[int, int]]
    columns: tuple[str, ...] = ()
    hierarchies: str = ""

    def read(self) -> tuple[list[str], list[list[str]]]:
        """Its complete records."""
        if self.file == "fair":
            return _fair()
        path = DATA / f"{self.file}.csv.gz"
        if not path.exists():
            sys.exit(f"skipped: the reference data shared/data/{self.file} is not beside the project")
        with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
            header, *records = csv.reader(lines)
        kept = [i for i, name in enumerate(header) if not self.columns or name in self.columns]
        found = [[record[i] for i in kept] for record in records]
        return [header[i] for i in kept], [record for record in found if "?" not in record]


TABLES = {
    "Adult": Table("adult_arx/adult_arx", "salary-class", {"age": (17, 90)}, ADULT, "adult_arx/hierarchies_safepub"),
    "FARS": Table("fars/fars", "iinjury", {}, (), "fars/hierarchies_safepub"),
    "Nursery": Table("nursery/nursery", "class", {}),
    "CMC": Table("cmc/cmc", "contraceptive_method", {"wife_age": (16, 49), "num_children": (0, 16)}),
    "Mammographic": Table("mammographic_mass/mammographic_mass", "severity", {"age": (18, 96)}),
    "Fair": Table("fair", "affair", {}),
    "Census": Table(
        "census_income_kdd/census_income_kdd",
        "income",
        {"age": (0, 90), "weeks_worked": (0, 52)},
        tuple(CENSUS.split()),
    ),
}
"""Adult, FARS, Nursery, CMC as asked for; the last three decided no setting of any method but `marginals`' penalty."""


def _fair() -> tuple[list[str], list[list[str]]]:
    """6,366 women's answers about marriage and affairs (Fair 1978), of statsmodels: is there an affair?"""
    if importlib.util.find_spec("statsmodels") is None:
        return [], []
    from statsmodels.datasets import fair

    frame = fair.load_pandas().data
    names = [name for name in frame.columns if name != "affairs"]
    rows = [[f"{value:g}" for value in row] for row in frame[names].to_numpy()]
    return [*names, "affair"], [
        [*row, "yes" if many > 0 else "no"] for row, many in zip(rows, frame["affairs"], strict=True)
    ]


def written(name: str, most: int, folder: Path) -> Path | None:
    """The release file of a table, or of some of its records, drawn evenly; None where the table is not to be had."""
    table, plan = TABLES[name], folder / name / "release.toml"
    if plan.exists():
        return plan
    header, records = table.read()
    if not records:
        return None
    drawn = np.sort(np.random.default_rng(0).permutation(len(records))[:most])
    plan.parent.mkdir(parents=True, exist_ok=True)
    with (plan.parent / "table.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *(records[i] for i in drawn)])
    lines = ["[data]", 'path = "table.csv"', 'person = "row"', ""]
    for at, column in enumerate(header):
        role = "sensitive" if column == table.target else "quasi-identifier"
        lines += [f"[columns.{json.dumps(column)}]", f'role = "{role}"']
        if column in table.numbers:
            low, high = table.numbers[column]
            lines += [f"domain = {{ from = {low}, to = {high} }}"]
        elif table.hierarchies and column != table.target:
            lines += [f'hierarchy = "{_hierarchy(table, column, plan.parent).name}"']
        else:
            values = sorted({record[at] for record in records})
            lines += [f"domain = {json.dumps(values)}"]
        lines += [""]
    lines += ["[method]", 'name = "mondrian"', "k = 5", "", "[output]", 'path = "release/"', ""]
    plan.write_text("\n".join(lines), encoding="utf-8")
    return plan


def _hierarchy(table: Table, column: str, folder: Path) -> Path:
    """The hierarchy of the reference data, less a stray row that leads nowhere."""
    with (DATA / table.hierarchies / f"{column}.csv").open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    made = folder / f"{column}.csv"
    with made.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *(row for row in rows if row[-1] == "*")])
    return made


@cache
def encoded(plan: Path, target: str) -> EncodedTable:
    """The table as methods see it."""
    method = Marginals(epsilon=1, target=target)
    return publish(Plan.load(plan).with_method(method).supposing_one_record_each()).outcome.table


def rivals(plan: Path, target: str, epsilon: float, referee: str | None) -> Iterator[tuple[str, float | None, Outcome]]:
    """What others would publish: name, seconds, release."""
    table = encoded(plan, target)
    yield "class marginals", None, class_marginals(table, target, epsilon, 0)
    made = plan.parent / f"table.{epsilon}.aim.npz"
    if referee and not made.exists():
        sizes = np.array([attribute.domain.size for attribute in table.attributes])
        np.savez(plan.parent / "table.table.npz", sizes=sizes, **rows_of(table.counts))
        aim = Path(__file__).resolve().parents[1] / "marginals" / "aim.py"
        asked = [referee, str(aim), str(plan.parent), "4", "200", str(epsilon)]
        subprocess.run(asked, check=True, stdout=subprocess.DEVNULL)
    if made.exists():
        found = np.load(made)
        widths = [attribute.domain.size for attribute in table.attributes]
        published = Counts.of(table.counts.names, [found[one] for one in table.counts.names], widths)
        yield "AIM", float(found["seconds"]), Outcome(table=table, published=published, shown={})
