"""What is told beforehand holds of runs: formulas against exact sums, predictions against runs on tables made up."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.cluster.centers import step_sums
from shoal.cluster.space import Space
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.engines.opening import engine_of_frame
from shoal.pipeline import encoded
from shoal.plan.expecting import expected
from shoal.plan.expecting.clipped_noise import gaussian_error, laplace_at_an_end, laplace_error
from shoal.plan.expecting.diffgen import count_error, missed_by_a_choice
from shoal.plan.expecting.microaggregation import chance_of_node, noise_of_center
from shoal.plan.expecting.public_table import public_table
from shoal.plan.expecting.safepub import fitting_scheme, share_published
from shoal.plan.expecting.words import share_in_words

WIDTH = 1000


def numbers(columns):
    schema = shoal.Schema(person="row")
    for i in range(columns):
        schema = schema.with_column(f"x{i}", role="quasi-identifier", domain=(0, WIDTH))
    return schema


PEOPLE = (
    shoal.Schema(person="row")
    .with_column("age", role="quasi-identifier", domain=(0, 79), hierarchy=shoal.intervals(10, 20, 40))
    .with_column("sex", role="quasi-identifier", domain=["f", "m"])
    .with_column("town", role="quasi-identifier", domain=[f"t{i}" for i in range(8)])
    .with_column("ill", role="sensitive", domain=["yes", "no"])
)


def people(records, *, crowded=False, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 80, records)
    town = rng.integers(0, 8, records)
    if crowded:
        age, town = (80 * rng.random(records) ** 2).astype(int), np.minimum(rng.geometric(0.4, records) - 1, 7)
    sex = rng.integers(0, 2, records)
    ill = (rng.random(records) < 0.2 + 0.5 * (age > 50)).astype(int)
    return pa.table(
        {
            "age": age,
            "sex": np.array(["f", "m"])[sex],
            "town": np.array([f"t{i}" for i in range(8)])[town],
            "ill": np.array(["no", "yes"])[ill],
        }
    )


@pytest.mark.parametrize("scale", [0.01, 0.2, 1.0, 30.0])
def test_clipped_noise_is_exact_in_the_middle_and_off_by_a_factor_of_two_at_most(scale):
    x = np.linspace(-60 * scale, 60 * scale, 400_001)
    laplace = np.exp(-np.abs(x) / scale)
    gauss = np.exp(-(x**2) / (2 * scale**2))
    for law, told in ((laplace / laplace.sum(), laplace_error), (gauss / gauss.sum(), gaussian_error)):
        for place in (0.5, 0.25, 0.0):
            moved = np.abs(np.clip(place + x, 0, 1) - place) @ law
            if place == 0.5:
                assert told(scale, 1.0) == pytest.approx(moved, rel=1e-3)
            assert 0.999 <= told(scale, 1.0) / moved <= 2.001
    assert laplace_at_an_end(scale, 1.0) == pytest.approx((laplace / laplace.sum())[np.abs(x) >= 0.5].sum(), rel=0.02)


@pytest.mark.parametrize(
    ("columns", "epsilon", "delta", "k"),
    [(2, 1.0, 0.0, 100), (4, 1.0, 0.0, 200), (4, 1.0, 1e-6, 150), (3, 0.2, 0.0, 400)],
)
def test_centers_of_microaggregation_are_off_by_what_was_told(columns, epsilon, delta, k):
    schema, records = numbers(columns), 2000
    rng = np.random.default_rng(columns)
    method = shoal.MicroaggregationDP(epsilon=epsilon, delta=delta, k=k, smooth=False)
    frame = pa.table({f"x{i}": rng.integers(0, WIDTH + 1, records) for i in range(columns)})
    table = encoded(engine_of_frame(frame)[0], schema, method)
    space = Space.of(table.attributes)
    told = noise_of_center(method, space, space.axes[0], records, k)
    moved = []
    for seed in range(6):
        partition, centers = method.clustered(table, SeededCoins(seed), Ledger(limit=method.cost))
        sizes = partition.totals
        for axis, codes, center in zip(space.axes, table.counts.codes, centers, strict=True):
            moved.append(np.abs(center - step_sums(axis, codes, partition, axis.middle) / sizes)[:-1])
    measured = float(np.mean(np.concatenate(moved)))
    assert 0.85 <= told / measured <= 2.2
    whole = expected(schema, method, records)
    assert whole.figures["noise of x0"] * WIDTH == told


@pytest.mark.parametrize(("columns", "epsilon"), [(1, 1.0), (2, 1.0), (4, 1.0), (4, 0.1)])
def test_numbers_are_off_by_what_was_told_within_a_factor_of_two(columns, epsilon):
    schema, records = numbers(columns), 3000
    rng = np.random.default_rng(5)
    method = shoal.MicroaggregationDP(epsilon=epsilon)
    frame = pa.table({f"x{i}": rng.integers(0, WIDTH + 1, records) for i in range(columns)})
    table = encoded(engine_of_frame(frame)[0], schema, method)
    squares = []
    for seed in range(4):
        partition, centers = method.clustered(table, SeededCoins(seed), Ledger(limit=method.cost))
        for codes, center in zip(table.counts.codes, centers, strict=True):
            off = (center[partition.label] - codes[partition.source]) / WIDTH
            squares.append(off**2 @ partition.sizes / records)
    measured = float(np.sqrt(np.mean(squares)))
    told = expected(schema, method, records)
    assert 0.5 <= told.figures["off by"] / measured <= 2
    assert any("middle" in sentence for sentence in told.warnings) is (epsilon < 1)


def test_a_cluster_of_one_value_is_published_with_it_as_often_as_told():
    schema = shoal.Schema(person="row").with_column("x", role="quasi-identifier", domain=(0, 9))
    schema = schema.with_column("town", role="quasi-identifier", domain=[f"t{i}" for i in range(8)])
    method = shoal.MicroaggregationDP(epsilon=1.0, k=20)
    table = encoded(
        engine_of_frame(pa.table({"x": [i % 10 for i in range(60)], "town": ["t3"] * 60}))[0], schema, method
    )
    right = []
    for seed in range(300):
        _, centers = method.clustered(table, SeededCoins(seed), Ledger(limit=method.cost))
        right.append((centers[1][:-1] == table.counts.codes[1][0]).mean())
    space = Space.of(table.attributes)
    told = chance_of_node(method, space, space.axes[1], 60, 20)
    assert abs(told - np.mean(right)) < 0.07  # three deviations of 600 choices
    assert told < 0.6


@pytest.mark.parametrize(("epsilon", "bounds"), [(1.0, None), (8.0, None), (1.0, (300, 500))])
def test_numbers_of_k_epsilon_are_off_by_what_was_told(epsilon, bounds):
    schema = numbers(1).with_column("town", role="quasi-identifier", domain=["a", "b"])
    given = () if bounds is None else (shoal.ClassBounds(column="x0", lower=bounds[0], upper=bounds[1]),)
    method = shoal.KEpsilon(epsilon=epsilon, perturbed=("x0",), anonymizer=shoal.Mondrian(k=5), bounds=given)
    values = np.random.default_rng(1).integers(*(bounds or (0, WIDTH + 1)), 4000)
    frame = pa.table({"x0": np.sort(values), "town": ["a", "b"] * 2000})
    told = expected(schema, method)
    off, end = told.figures["noise of x0"] * WIDTH, told.figures.get("at an end of x0", 0.0)
    scale = (WIDTH if bounds is None else 200) / epsilon
    noise = np.random.default_rng(2).laplace(0, scale, 4000)  # the law; draws of the method are tested elsewhere
    moved = np.abs(np.clip(values + noise, 0, WIDTH) - values).mean()
    release = method.anonymize(frame, schema, coins=SeededCoins(3)).data["x0"].to_numpy()
    at_ends = np.isin(release, (0, WIDTH)).mean()
    assert 0.95 <= off / moved <= 2
    assert at_ends >= end - 0.03
    assert bool(told.warnings) is (epsilon == 1.0 and bounds is None)
    assert (told.figures["variance of x0"] == pytest.approx(25)) is (epsilon == 1.0 and bounds is None)


def test_the_share_that_safepub_publishes_is_that_of_drawn_records_with_company():
    rng = np.random.default_rng(0)
    drawn = rng.binomial(60, 0.5, 50_000)
    assert share_published(600, 10, 0.5, 30) == pytest.approx(drawn[drawn >= 30].sum() / drawn.sum(), abs=0.01)
    assert share_published(600, 1000, 0.5, 30) == 0


@pytest.mark.parametrize("crowded", [False, True])
@pytest.mark.parametrize("records", [3_000, 40_000])
def test_safepub_publishes_as_many_records_as_told(records, crowded):
    method = shoal.SafePub(epsilon=1.0, delta=1e-5, expected_records=records)
    told = expected(PEOPLE, method)
    release = method.anonymize(people(records, crowded=crowded), PEOPLE, coins=SeededCoins(records))
    assert 0.5 <= told.figures["records"] / max(release.certificate.records, 1) <= 2
    assert not told.warnings


def test_of_a_table_that_is_too_small_safepub_says_so():
    method = shoal.SafePub(epsilon=1.0, delta=1e-5)
    told = expected(PEOPLE, method, 60)
    assert "none can be expected" in told.warnings[0]
    assert told.better
    assert not len(method.anonymize(people(60), PEOPLE, coins=SeededCoins(0)).data)


def test_few_classes_of_safepub_are_warned_of_on_both_sides_of_the_threshold():
    method = shoal.SafePub(epsilon=1.0, delta=1e-5)
    alike = expected(PEOPLE, method, 1).figures["alike"]
    for classes, is_warned in ((18, True), (22, False)):
        told = expected(PEOPLE, method, int(classes * alike))
        assert abs(told.figures["classes at most"] - classes) <= 1
        assert bool(told.warnings) is is_warned


@pytest.mark.parametrize(
    ("columns", "epsilon", "where"),
    [(9, 0.001, "1,000,000 records or fewer"), (4, 0.1, "000 records or fewer"), (1, 1.0, "")],
)
def test_microaggregation_warns_by_orders_of_magnitude_if_the_number_of_records_is_not_said(columns, epsilon, where):
    told = expected(numbers(columns), shoal.MicroaggregationDP(epsilon=epsilon))
    assert bool(told.warnings) is bool(where)
    assert all(where in sentence for sentence in told.warnings)
    assert any("marginals" in sentence for sentence in told.better) is bool(where)


def test_a_scheme_that_is_given_is_judged_as_it_is():
    method = shoal.SafePub(epsilon=1.0, delta=1e-5, schemes=[{"age": 2, "town": 1}])
    table = public_table(PEOPLE, method)
    found = fitting_scheme(method, table, 4000)
    assert found.groups == 4 * 2 * 1 * 2
    release = method.anonymize(people(4000), PEOPLE, coins=SeededCoins(1))
    assert release.certificate.records == pytest.approx(4000 * float(method.rate) * found.published, rel=0.05)


def test_counts_and_choices_of_diffgen_are_off_by_what_was_told():
    method = shoal.DiffGen(epsilon=1.0, target="ill", show="groups")
    noise = np.abs(SeededCoins(0).discrete_laplaces(Fraction(29, 100), 20_000)).mean()
    assert count_error(method) == pytest.approx(noise, rel=0.03)
    table, steps = public_table(PEOPLE, method), method.steps_for(5000)
    missed = missed_by_a_choice(method, table, steps)
    choice = ExponentialMechanism(epsilon=Fraction(7, 10 * steps), score_range=Fraction(1))
    candidates = 3 * 80 + steps + 1  # as bad as possible: the best has the least weight, all others are beyond
    law = choice.probabilities([0, *[-int(np.ceil(missed))] * (candidates - 1)])
    assert law[0] >= 0.95
    release = method.anonymize(people(5000), PEOPLE, coins=SeededCoins(0))
    assert abs(release.certificate.records - 5000) <= 6 * expected(PEOPLE, method, 5000).figures["records off by"]


def test_diffgen_warns_where_nothing_can_come_of_it():
    for show in ("values", "groups"):
        told = expected(PEOPLE, shoal.DiffGen(epsilon=0.01, target="ill", show=show), 1000)
        assert any("nothing of use" in sentence for sentence in told.warnings)
        assert not expected(PEOPLE, shoal.DiffGen(epsilon=1.0, target="ill", show=show), 30_000).warnings
    with pytest.warns(shoal.SmallBudgetWarning, match="nothing of use"):
        shoal.DiffGen(epsilon=0.01, target="ill", expected_records=1000).anonymize(people(1000), PEOPLE)
    published = shoal.DiffGen(epsilon=0.1, target="ill", specializations=12, mode="as_published")
    told = expected(PEOPLE, published, 600)
    assert "stand for nobody" in told.warnings[0]
    release = published.anonymize(people(600), PEOPLE, coins=SeededCoins(0))
    assert release.certificate.records <= 1.3 * (600 + told.figures["records of nobody at most"])


@pytest.mark.parametrize(("records", "epsilon"), [(2000, 1.0), (20_000, 0.2)])
@pytest.mark.parametrize("target", [None, "ill"])
def test_counts_of_marginals_are_off_by_what_was_told_within_a_factor_of_two(records, epsilon, target):
    method, original = shoal.Marginals(epsilon=epsilon, target=target), people(records)
    told = expected(PEOPLE, method, records)
    assert not told.warnings
    off = {name: [] for name in ("sex", "town")}
    for seed in range(8):
        published = method.anonymize(original, PEOPLE, coins=SeededCoins(seed)).data
        for name, found in off.items():
            values = PEOPLE[name].domain.values
            now, then = (np.array([list(t[name].to_pylist()).count(v) for v in values]) for t in (published, original))
            found.append(np.abs(now - then).mean())
    for name, found in off.items():
        assert 0.5 <= told.figures[f"counts of {name} off by"] / np.mean(found) <= 2


def test_columns_that_noise_drowns_are_named():
    zips = PEOPLE.with_column("zip", role="quasi-identifier", domain=[f"{i:05d}" for i in range(100_000)])
    told = expected(zips, shoal.Marginals(epsilon=1.0), 2000)
    assert [w.split(":")[0] for w in told.warnings] == ["'zip' has 100,000 values for about 2,000 records"]
    assert "what is published of it will be noise" in told.warnings[0]
    assert "off by about" in told.said[0]
    towns = shoal.Schema(person="row").with_column("ill", role="sensitive", domain=["yes", "no"])
    towns = towns.with_column("town", role="quasi-identifier", domain=[f"t{i}" for i in range(400)])
    assert not expected(towns, shoal.Marginals(epsilon=1.0), 4000).warnings  # ten records a value are enough
    assert "counted by 'ill': much" in expected(towns, shoal.Marginals(epsilon=1.0, target="ill"), 1000).warnings[0]


def test_nothing_is_told_of_what_is_not_declared_or_depends_on_records():
    observed = PEOPLE.with_column("more", role="quasi-identifier")
    assert not str(expected(observed, shoal.Mondrian(k=3)))
    assert not str(expected(PEOPLE, shoal.Mondrian(k=3)))
    assert "Say about how many" in str(expected(PEOPLE, shoal.SafePub(epsilon=1.0, delta=1e-6)))
    assert "1,000,000" in str(expected(numbers(2), shoal.MicroaggregationDP(epsilon=1.0)))


def test_shares_grow_with_their_words():
    said = [share_in_words(share) for share in np.linspace(0.0001, 0.7, 60)]
    assert list(dict.fromkeys(said)) == sorted(set(said), key=said.index)  # none comes again
