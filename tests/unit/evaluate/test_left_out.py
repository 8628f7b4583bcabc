"""Who loses far more than others: rates as counted by hand, and no alarm where all lose alike."""

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.evaluate.left_out import RARE, who_was_left_out


def town_of_strangers(rare=30):
    """1,000 records that look alike but for `rare` from elsewhere, each of another age."""
    ages = [40] * 1000 + [i % 90 for i in range(rare)]
    return pd.DataFrame(
        {"age": ages, "origin": ["here"] * 1000 + ["elsewhere"] * rare, "ill": ["a", "b"] * (500 + rare // 2)}
    )


def schema():
    known = shoal.Schema(person="row").with_column(
        "age", role="quasi-identifier", domain=(0, 99), hierarchy=shoal.flat()
    )
    known = known.with_column("origin", role="quasi-identifier", domain=["here", "elsewhere", "nowhere"])
    return known.with_column("ill", role="sensitive")


def test_a_group_that_is_lost_is_named_with_its_rates():
    release = shoal.OptimalLattice(k=5, suppression_limit=0.1).anonymize(town_of_strangers(), schema())
    found = who_was_left_out(release.outcome)
    assert found.share == pytest.approx(30 / 1030)
    first = next(group for group in found.groups if group.column == "origin")
    assert (first.value, first.records) == ("elsewhere", 30)
    assert (first.left_out, first.others_left_out) == (1.0, 0.0)
    assert first.loses_far_more
    assert ("origin", "elsewhere", 30) in found.gone


def test_rare_values_are_looked_at_together():
    release = shoal.OptimalLattice(k=5, suppression_limit=0.1).anonymize(town_of_strangers(), schema())
    ages = [group for group in who_was_left_out(release.outcome).groups if group.column == "age"]
    assert [(group.value, group.records, group.left_out) for group in ages] == [(RARE, 30, 1.0)]
    assert ages[0].who == "rare values of age"


@pytest.mark.parametrize("method", [shoal.OptimalLattice(k=20, suppression_limit=0.3), shoal.Mondrian(k=20)])
def test_rates_are_those_of_a_count_by_hand(method):
    """A column that is passed through names the record: so who is left out is seen, not concluded."""
    rng = np.random.default_rng(1)
    jobs = rng.choice(list("ABCDEFGH"), 600, p=[0.4, 0.3, 0.1, 0.06, 0.06, 0.04, 0.02, 0.02])
    table = pd.DataFrame(
        {"age": rng.geometric(0.05, 600).clip(0, 99), "job": jobs, "row": [f"r{i}" for i in range(600)]}
    )
    known = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 99))
    known = known.with_column("job", role="quasi-identifier", domain=list("ABCDEFGH"))
    known = known.with_column("row", role="insensitive", unlinkable=True)
    release = method.anonymize(table, known)
    is_there = table.row.isin(set(release.data.row))
    found = who_was_left_out(release.outcome)
    assert found.share == pytest.approx(1 - is_there.mean())
    small = table.job.map(table.job.value_counts()) < 20
    for group in found.groups:
        if group.column == "job":
            here = small if group.value == RARE else table.job == group.value
            assert group.records == here.sum()
            assert group.left_out == pytest.approx(1 - is_there[here].mean())
            assert group.others_left_out == pytest.approx(1 - is_there[~here].mean())
    assert all((table.job == value).sum() == records for column, value, records in found.gone if column == "job")


def test_groups_that_lose_alike_raise_no_alarm():
    """Twenty tables in which chance alone decides who is lost: four standard errors are hardly ever passed."""
    rng = np.random.default_rng(7)
    alarms = 0
    known = shoal.Schema(person="row").with_column("code", role="quasi-identifier", hierarchy=shoal.flat())
    known = known.with_column("group", role="sensitive", domain=list("ABCDE"))
    for _ in range(20):
        lost = rng.random(500) < 0.1
        codes = np.where(lost, np.arange(500), 1000)
        table = pd.DataFrame({"code": codes.astype(str), "group": rng.choice(list("ABCDE"), 500)})
        release = shoal.OptimalLattice(k=5, suppression_limit=0.5).anonymize(table, known)
        alarms += sum(group.column == "group" for group in who_was_left_out(release.outcome).groups)
    assert alarms == 0  # 100 groups at 3e-5 each


def test_nothing_is_said_where_nothing_tells_which_records_are_there():
    table = pd.DataFrame({"height": [150.0 + i % 40 for i in range(60)]})
    known = shoal.Schema(person="row").with_column("height", role="quasi-identifier", domain=(140, 200))
    from shoal.dp.coins.coins import secure_coins

    release = shoal.MicroaggregationDP(epsilon=1).anonymize(table, known, coins=secure_coins())
    assert who_was_left_out(release.outcome) is None
