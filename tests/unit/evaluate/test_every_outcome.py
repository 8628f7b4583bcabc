"""What every method of the conformance cases decides can be evaluated."""

from functools import cache

import cases
import numpy as np
import pytest

from shoal.evaluate import (
    CrossValidation,
    Reading,
    Workload,
    dependence_kept,
    marginals,
    materialize,
    quality,
    query_errors,
)
from shoal.quality import GroupSize, Loss
from shoal.risk import attribute_disclosure, release_risk


@cache
def decided(name):
    return cases.CASES[name][0].anonymize(cases.table(300)).outcome


@pytest.mark.parametrize("name", cases.CASES)
def test_every_figure_can_be_computed(name):
    outcome = decided(name)
    assert materialize(outcome, np.random.default_rng(0)).kept == outcome.published.kept
    for one in marginals(outcome):
        assert 0 <= one.total_variation <= 1
        assert one.wasserstein is None or 0 <= one.wasserstein <= 1
    assert 0 <= dependence_kept(outcome).mean_distance <= 1
    assert np.isfinite(query_errors(outcome, Workload(queries=20).on(outcome.table)).mean)
    for one in quality(outcome, {"loss": Loss(), "group-size": GroupSize()}):
        assert one.after <= 1 + 1e-9
    assert 0 <= release_risk(outcome, sampling_fraction=0.1).after.prosecutor.average <= 1
    (found,) = attribute_disclosure(outcome, ["grade"])
    assert found.after.average >= found.after.baseline - 1e-9
    readings = [Reading.MATERIALIZED] + [Reading.GENERALIZED] * (Reading.of(outcome) is Reading.GENERALIZED)
    for reading in readings:
        rated = CrossValidation(outcome.table, "grade", folds=3, reading=reading).rate(outcome)
        assert 0 <= rated.release <= 1
        assert not (rated.is_held_out and cases.CASES[name][0].recodes == "invents" and outcome.sources is None)
