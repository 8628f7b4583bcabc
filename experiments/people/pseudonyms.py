"""What it costs to say which records belong together: the same tables with and without pseudonyms.

Without, a class has records of k persons; with pseudonyms, k persons share all their records. At most m records of each
person take part, drawn at random, or all. Of each release: the loss metric, and the share of records left out. Draws
differ from run to run, and with them the figures, by a little.

The synthetic table has visits of 20,000 persons, and another one of a million, on average two each, whose age and town
stay the same while the ward differs. The public ones are those of `rows_and_persons.py`; what is not installed is left
out, with the reason.

Run: python experiments/people/pseudonyms.py [k]
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
from rows_and_persons import TABLES

import shoal

LIMIT = 0.1
CAPS = (2, 3, None)


def visits(people: int = 20_000) -> tuple[pd.DataFrame, shoal.Schema]:
    """Synthetic visits to wards."""
    rng = np.random.default_rng(15)
    each = 1 + rng.poisson(1.0, people)
    who = np.repeat(np.arange(people), each)
    table = pd.DataFrame(
        {
            "who": who,
            "age": rng.integers(20, 90, people)[who],
            "town": rng.choice(list("ABCDEFGH"), people)[who],
            "ward": rng.choice(list("KLMN"), len(who)),
        }
    )
    schema = shoal.Schema()
    schema = schema.with_column("age", role="quasi-identifier", domain=(20, 89), hierarchy=shoal.intervals(5, 10, 20))
    schema = schema.with_column("town", role="quasi-identifier").with_column("ward", role="quasi-identifier")
    return table, schema


def million() -> tuple[pd.DataFrame, shoal.Schema]:
    """As many visits as there may be."""
    return visits(1_000_000)


def measured(table: pd.DataFrame, schema: shoal.Schema, k: int) -> tuple[str, str, float]:
    """The loss of a release, what it leaves out, and how long it takes."""
    start = time.process_time()
    try:
        release = shoal.OptimalLattice(k=k, suppression_limit=LIMIT).anonymize(table, schema)
    except shoal.InfeasibleError:
        return "none", "", time.process_time() - start
    facts = release.facts
    spent = time.process_time() - start
    return f"{facts.losses['loss']:.3f}", f"{facts.suppressed / facts.records:.1%}", spent


def main() -> None:
    """Print the table."""
    k = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"k = {k}, at most {LIMIT:.0%} of the records left out; CPU seconds\n")
    print("| table | records of each | without: loss | left out | seconds | with: loss | left out | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, (person, load) in {"synthetic": ("who", visits), **TABLES, "a million persons": ("who", million)}.items():
        try:
            table, schema = load()
        except (ModuleNotFoundError, FileNotFoundError, KeyError) as error:
            print(f"| {name} | left out: {error} | | | | | | |")
            continue
        measured(table.head(1000), schema.with_person(person), k)  # compiled before it is timed
        for cap in CAPS:
            plain = replace(schema.with_person(person), max_records=cap)
            cells = [
                part if isinstance(part, str) else f"{part:.1f}"
                for said in (plain, replace(plain, pseudonym=True))
                for part in measured(table, said, k)
            ]
            print(f"| {name} | {'all' if cap is None else f'at most {cap}'} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
