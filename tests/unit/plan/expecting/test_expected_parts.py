"""What is expected of private methods, against what they do: many runs, or the law of their coins."""

from math import sqrt

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import shoal
from shoal.dp.coins.coins import SeededCoins
from shoal.pipeline import publish_frame
from shoal.plan.expecting.parts import Kept, Noise, expected_parts

SCHEMA = (
    shoal.Schema(person="row")
    .with_column("age", role="quasi-identifier", domain=(0, 100), hierarchy=shoal.intervals(10, 50))
    .with_column("sex", role="quasi-identifier", domain=["f", "m", "d"])
)


def test_survivors_of_safepub_follow_the_law_of_its_sample():
    method = shoal.SafePub(epsilon=1, delta=1e-5)
    rate = float(method.rate)
    for one in expected_parts(method, SCHEMA):
        assert one.chance == pytest.approx(float(binom.sf(method.k - 1, one.records, rate)), abs=1e-9)
        drawn = np.arange(method.k, one.records + 1)
        assert one.published == pytest.approx(float((drawn * binom.pmf(drawn, one.records, rate)).sum()), abs=1e-6)


def test_noise_of_counts_and_chances_of_values():
    diffgen = shoal.DiffGen(epsilon=1, target="sex", specializations=3, show="groups")
    (noise,) = expected_parts(diffgen, SCHEMA)
    assert noise == Noise(None, sqrt(2) * diffgen.facts()["scale of the noise on counts, at most"])
    (kept,) = expected_parts(shoal.PRAM(perturbed=("sex",), epsilon=1), SCHEMA)
    assert kept == Kept("sex", pytest.approx(np.e / (np.e + 2)))
    (noise,) = expected_parts(shoal.Marginals(epsilon=1, target="sex"), SCHEMA)  # 0.9 · 0.4 of ε for the one table
    assert noise == Noise(None, pytest.approx(sqrt(2) / 0.36))
    assert expected_parts(shoal.Mondrian(k=5), SCHEMA) == ()


def test_the_noise_of_centers_is_what_many_clusters_show():
    """A quarter off, of 400 centers: a false alarm in less than one of 10^6 runs, and the seed is fixed."""
    one = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 100_000))
    frame = pa.table({"age": [50_000] * 20_000})
    method = shoal.MicroaggregationDP(epsilon=5, k=50, smooth=False)
    (noise,) = expected_parts(method, one, records=20_000)
    ages = publish_frame(frame, one, method, coins=SeededCoins(1)).data["age"].to_numpy()
    assert np.std(ages[::50]) == pytest.approx(noise.deviation, rel=0.25)
    assert noise.width == 100_000
    assert expected_parts(method, one) == ()
