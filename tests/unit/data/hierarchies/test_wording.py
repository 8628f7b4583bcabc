"""What became of a column is said in words that need no hierarchy beside them."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from strategies import attribute_of

import shoal
from shoal.data.domain import Categorical, Dates, Grid
from shoal.data.hierarchies.build import DateLevels, Flat, Intervals
from shoal.data.hierarchies.paths import Paths, Prefixes
from shoal.data.hierarchies.wording import HIDDEN, KEPT, cut_in_words, level_in_words
from shoal.data.recoding import Lookup

AGES = Grid.between(17, 90)
BANDS = Intervals((Decimal(5), Decimal(20)))
DAYS = Dates(dt.date(2023, 1, 1), dt.date(2024, 12, 31))
CODES = Categorical(("10115", "10117", "80331"))
JOBS = Paths((("nurse", "health", "*"), ("doctor", "health", "*"), ("clerk", "office", "*"), ("judge", "office", "*")))
NAMED = Paths(tuple((str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*") for age in range(20, 60)))

WORDS = {
    ("age", BANDS, AGES, 0): KEPT,
    ("age", BANDS, AGES, 1): "5-year bands",
    ("PatientAge", BANDS, AGES, 2): "20-year bands",
    ("wage", BANDS, AGES, 2): "bands of 20",
    ("age", BANDS, AGES.with_missing(), 2): "20-year bands",
    ("age", BANDS, AGES, 3): HIDDEN,
    ("income", Intervals((Decimal("2.5"),)), Grid.between(0, 10, "0.5"), 1): "bands of 2.5",
    ("day", DateLevels(), DAYS, 1): "by month",
    ("day", DateLevels(), DAYS.with_missing(), 2): "by quarter",
    ("day", DateLevels(), DAYS, 3): "by year",
    ("zip", Prefixes((3, 2, 1)), CODES, 1): "first three digits",
    ("zip", Prefixes((3, 2, 1)), CODES, 3): "first digit",
    ("code", Prefixes((1,)), Categorical(("A1", "A2", "B1")), 1): "first character",
    ("job", JOBS, JOBS.leaves(), 1): "4 values put together in 2 groups, such as health, office",
    ("age", NAMED, NAMED.leaves(), 1): "10-year bands",
    ("sex", Flat(), Categorical(("f", "m")), 1): HIDDEN,
}


@pytest.mark.parametrize(("case", "words"), WORDS.items(), ids=[f"{c[0]}-{c[3]}-{w}" for c, w in WORDS.items()])
def test_levels_in_words(case, words):
    name, recipe, domain, level = case
    assert level_in_words(attribute_of(name, recipe, domain), level) == words


def test_pieces_of_a_cut_in_words():
    ages = attribute_of("age", BANDS, AGES.with_missing())
    pieces = np.repeat([0, 1, 2, 3], [20, 20, 34, 1])
    assert cut_in_words(ages, Lookup.of_spans(pieces).shown) == "cut into 3 ranges, such as 17-36, 37-56"
    even = np.repeat([0, 1, 2, 3, 4], [20, 20, 20, 14, 1])
    assert cut_in_words(ages, Lookup.of_spans(even).shown) == "20-year bands"
    assert cut_in_words(ages, Lookup.of_spans(np.repeat([0, 1], [74, 1])).shown) == HIDDEN
    jobs = attribute_of("job", JOBS, JOBS.leaves())
    nodes = jobs.hierarchy.up[1].copy()
    nodes[:2] = [0, 1]
    assert cut_in_words(jobs, Lookup.of_nodes(nodes).shown) == "4 values put together in 3 groups, such as office"


def test_values_that_are_as_fine_as_their_group_allows_are_said_with_how_fine_they_are():
    table = pa.table({"age": [20, 21, 22, 60, 60, 60], "town": ["A", "B", "A", "C", "C", "C"]})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 99))
    schema = schema.with_column("town", role="quasi-identifier", domain=["A", "B", "C"])
    found = {c["name"]: c["recoding"] for c in shoal.Mondrian(k=3).anonymize(table, schema).facts.columns}
    assert found["age"] == "50% as they were, others in ranges of typically 3 years"
    assert found["town"] == "50% as they were, others in sets of typically 2 values"
    centers = shoal.MDAV(k=3).anonymize(table, schema)
    assert [c["recoding"] for c in centers.facts.columns] == [
        "new numbers in place of the values",
        "a value that stands for its group, in place of its own",
    ]
