"""DiffGen on Adult in the UCI split: the paper's accuracies, and what the rigorous mode adds (theory 3d)."""

import sys
from pathlib import Path
from statistics import mean

import pytest

from shoal.methods.base import Mode
from shoal.methods.diffgen.method import DiffGen
from shoal.methods.diffgen.options import Utility

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs the reference data sets beside the project, shared/data"),
]


@pytest.fixture(scope="module")
def accuracy():
    """Mean accuracy of a C4.5-like tree over some releases of the training records."""
    sys.path.insert(0, str(ROOT / "experiments" / "diffgen"))
    try:
        import common
    finally:
        sys.path.pop(0)
    from shoal.evaluate import DecisionTree, HeldOut

    held_out = HeldOut(common.adult("train"), common.adult("test"), common.TARGET, DecisionTree())

    def measured(runs=4, **settings):
        method = DiffGen(target=common.TARGET, **settings)
        return mean(held_out.rate(common.release(method, held_out.train, seed)).release for seed in range(runs))

    yield measured
    del sys.modules["common"]


def test_the_published_accuracy_at_epsilon_1_is_met(accuracy):
    """The paper: 82.2% at h = 10; at epsilon = 0.5 between 80.5% and 81.7%; Max above InfoGain."""
    most = accuracy(epsilon=1, specializations=10, mode=Mode.AS_PUBLISHED)
    assert most == pytest.approx(0.822, abs=0.012)
    assert accuracy(epsilon="0.5", specializations=10, mode=Mode.AS_PUBLISHED) == pytest.approx(0.811, abs=0.012)
    assert most > accuracy(epsilon=1, specializations=10, mode=Mode.AS_PUBLISHED, utility=Utility.INFO_GAIN)


@pytest.mark.parametrize(("epsilon", "bar"), [("0.1", 0.816), ("0.25", 0.827), ("0.5", 0.831), ("1", 0.833)])
def test_the_rigorous_mode_is_ahead_of_the_published_one_and_of_marginals_with_boosting(accuracy, epsilon, bar):
    """Bars: one marginal per (attribute, class), then boosting: 81.6% at epsilon = 0.1, 82.3% at 1."""
    ours = accuracy(epsilon=epsilon, runs=10, show="groups")
    assert ours > bar
    assert ours > accuracy(epsilon=epsilon, specializations=10, mode=Mode.AS_PUBLISHED)
