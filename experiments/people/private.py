"""What an ε for persons costs: of each 1, 2 or 3 records take part, beside single records at ε/m, the naive way.

The table is synthetic: 5,000 persons with 1 to 9 visits, most of them few; age and region stay with a person, ward and
outcome change from visit to visit. SafePub with several records is group privacy with the δ that goes with it; naive is
every record, at ε divided by the most that anybody has. DiffGen counts shares of persons; naive is noise for m records.
Releases are made with seeded coins: they can be repeated, and protect nobody.
Usage: private.py [runs]
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pandas as pd

import shoal
from shoal.dp.coins.coins import SeededCoins

PERSONS, MOST = 5_000, 9
WARDS = ["emergency", "eye", "heart", "skin"]
REGIONS = ["east", "north", "south", "west"]


def visits() -> pd.DataFrame:
    """The table."""
    rng = np.random.default_rng(15)
    each = np.minimum(rng.geometric(0.4, PERSONS), MOST)
    age, region = rng.integers(18, 98, PERSONS), rng.choice(REGIONS, PERSONS)
    person = np.repeat(np.arange(PERSONS), each)
    ward = rng.choice(WARDS, len(person), p=[0.4, 0.2, 0.25, 0.15])
    old, north = age[person] >= 60, region[person] == "north"
    risk = 0.15 + 0.55 * ((ward == "heart") & old) + 0.5 * ((ward == "eye") & ~old) + 0.3 * ((ward == "skin") & north)
    stays = np.where(rng.random(len(person)) < risk, "yes", "no")
    return pd.DataFrame(
        {"who": [f"p{i}" for i in person], "age": age[person], "region": region[person], "ward": ward, "stays": stays}
    )


SCHEMA = (
    shoal.Schema(person="who")
    .with_column("age", role="quasi-identifier", domain=(18, 97), hierarchy=shoal.intervals(10, 20, 40))
    .with_column("region", role="quasi-identifier", domain=REGIONS)
    .with_column("ward", role="quasi-identifier", domain=WARDS)
    .with_column("stays", role="quasi-identifier", domain=["no", "yes"])
)


def accuracy(release: shoal.Release, table: pd.DataFrame) -> float:
    """How many visits have the outcome that prevails among published records that look like them."""
    names = [name for name in release.data.columns if name != "stays"]
    if not len(release.data):
        return float((table.stays == "no").mean())
    overall = release.data.stays.mode()[0]
    votes = release.data.groupby(names, observed=True).stays.agg(lambda some: some.mode()[0])
    recoded = release.recoding.apply(table[["age", "region", "ward", "stays"]].assign(who="x"))
    predicted = recoded[names].merge(votes.rename("said").reset_index(), on=names, how="left").said.fillna(overall)
    return float((predicted.to_numpy() == table.stays.to_numpy()).mean())


def row(what: str, method: shoal.SafePub | shoal.DiffGen, schema: shoal.Schema, table: pd.DataFrame, runs: int) -> None:
    """Print one line: means over some runs."""
    made = [method.anonymize(table, schema, coins=SeededCoins(seed)) for seed in range(runs)]
    published = np.mean([len(release.data) for release in made])
    right = [accuracy(release, table) for release in made]
    k = made[0].certificate.parameters.get("k", "")
    print(f"{what:<44} {k!s:>4} {published:>9,.0f} {np.mean(right):>9.2%} {np.std(right):>7.2%}")


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    table = visits()
    print(f"{len(table):,} visits of {PERSONS:,} persons, {runs} runs; always 'no': {(table.stays == 'no').mean():.2%}")
    for epsilon in ("0.2", "0.5", "2"):
        print(f"\nepsilon = {epsilon} for a person")
        compare(epsilon, table, runs)


def compare(epsilon: str, table: pd.DataFrame, runs: int) -> None:
    """All lines of one ε."""
    alone = table.drop(columns="who")
    rows = shoal.Schema(tuple(column for column in SCHEMA if column.name != "who"), person="row")
    print(f"{'':<44} {'k':>4} {'published':>9} {'accuracy':>9} {'±':>7}")
    safepub = shoal.SafePub(epsilon=epsilon, delta="1e-5", quality=shoal.Classification(target="stays"))
    diffgen = shoal.DiffGen(epsilon=epsilon, target="stays", show="groups")
    for records in (1, 2, 3):
        row(f"safepub, max_records = {records}", safepub, replace(SCHEMA, max_records=records), table, runs)
    row(f"safepub, naive: all at epsilon/{MOST}", safepub.for_several(MOST), rows, alone, runs)
    for records in (1, 2, 3):
        row(f"diffgen, max_records = {records}, shares", diffgen, replace(SCHEMA, max_records=records), table, runs)
    for records in (2, 3):
        some = table.sample(frac=1, random_state=1).groupby("who").head(records).drop(columns="who")
        row(f"diffgen, naive: {records} records at epsilon/{records}", _at(diffgen, records), rows, some, runs)
    row(f"diffgen, naive: all at epsilon/{MOST}", _at(diffgen, MOST), rows, alone, runs)


def _at(method: shoal.DiffGen, records: int) -> shoal.DiffGen:
    return replace(method, epsilon=float(method.epsilon) / records)


if __name__ == "__main__":
    main()
