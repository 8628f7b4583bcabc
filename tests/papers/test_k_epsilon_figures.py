"""(k, ε)-anonymity: the worked values of the theory audit, and the paper's figures on Adult."""

import sys
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.quality.relative_error import expected_relative_error
from shoal.risk import (
    ClassedNumbers,
    ClassRule,
    confidence_radius,
    confident_suppression,
    expected_links,
    in_reach,
)

ONE, TWO = [150, 160, 170, 180], [165, 168, 171]
EXPERIMENTS = Path(__file__).parents[2] / "experiments" / "k_epsilon"
DATA = Path(__file__).parents[2].parent / "shared" / "data" / "adult"


def error(classes, epsilon):
    of = ClassedNumbers.of(classes)
    return expected_relative_error(of.numbers.astype(float), (of.diameters / epsilon)[of.labels])


def test_relative_errors_of_two_classes():
    """Eqs. (7) and (8)."""
    assert error([ONE], 2) == pytest.approx(0.0913297, abs=5e-8)
    assert error([TWO], 2) == pytest.approx(0.0178609, abs=5e-8)
    assert error([ONE, TWO], 2) == pytest.approx(0.0598431, abs=5e-8)
    assert error([ONE, TWO], 1) == pytest.approx(0.1196861, abs=5e-8)
    for members, harmonic in ((ONE, 164.240188), (TWO, 167.964282)):
        of = ClassedNumbers.of([members])
        assert of.diameters[0] / (2 * error([members], 2)) == pytest.approx(harmonic, abs=5e-7)


@pytest.mark.parametrize(
    ("epsilon", "one", "two", "risk"),
    [
        (0.5, 1.239867, 1.235006, 0.353553),
        (1, 1.460555, 1.442398, 0.414708),
        (2, 1.850406, 1.786939, 0.519621),
        (4, 2.459749, 2.264241, 0.674856),
        (8, 3.209209, 2.729329, 0.848363),
        (16, 3.791550, 2.963369, 0.964988),
    ],
)
def test_expected_links_of_two_classes(epsilon, one, two, risk):
    def links(*classes):
        of = ClassedNumbers.of(classes)
        return expected_links(of, of.diameters / epsilon)

    assert links(ONE).published == pytest.approx(one, abs=5e-7)
    assert links(TWO).published == pytest.approx(two, abs=5e-7)
    assert links(ONE, TWO).risk == pytest.approx(risk, abs=5e-7)


def test_expected_links_with_ties():
    of = ClassedNumbers.of([[170, 170, 180]])
    links = expected_links(of, of.diameters / 1)
    assert links.published == pytest.approx(2.090204, abs=5e-7)
    assert links.fair == pytest.approx(1.393469, abs=5e-7)


def test_both_readings_of_the_rule_for_a_class():
    of = ClassedNumbers.of([ONE])
    assert confidence_radius(of.diameters / 2, 0.9)[0] == pytest.approx(34.538776, abs=5e-7)
    assert confidence_radius(of.diameters / 2, 0.99)[0] == pytest.approx(69.077553, abs=5e-7)
    reached = in_reach([of], [np.array([151, 131, 230, 280])], [confidence_radius(of.diameters / 2, 0.9)])
    assert reached.tolist() == [4, 2, 0, 0]
    assert confident_suppression(reached, of, 3, ClassRule.FORMULA).tolist() == [True] * 4
    assert confident_suppression(reached, of, 3, ClassRule.TEXT).tolist() == [False, True, False, False]


def test_linking_posteriors():
    """KE-2 at k = 10, ε = 1."""
    facts = shoal.KEpsilon(epsilon=1, perturbed=("height",), anonymizer=shoal.OLA(k=10)).facts()
    assert facts["linking posterior from one row"] == pytest.approx(0.2320, abs=5e-5)
    assert facts["linking posterior from all rows of a class"] == pytest.approx(0.4509, abs=5e-5)


# Adult


@pytest.fixture(scope="module")
def adult():
    """The experiments' Adult, loaded under a name of its own."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("k_epsilon_common", EXPERIMENTS / "common.py")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


on_adult = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs the reference data sets beside the project, shared/data"),
]


class TestAdult:
    pytestmark = on_adult

    @pytest.mark.parametrize(
        ("k", "node", "paper"),
        [
            (2, (0, 0, 0, 0), 1.67),
            (5, (0, 0, 0, 1), 2.42),
            (10, (0, 0, 1, 0), 3.71),
            (20, (0, 0, 1, 1), 1.47),
            (50, (0, 0, 1, 2), 1.76),
            (100, (0, 0, 1, 2), 4.80),
        ],
    )
    def test_table_4_comes_out_to_the_last_digit_at_these_levels(self, adult, k, node, paper):
        table = adult.table(adult.QUASI)
        assert table.total == 32_440
        classes = shoal.OLA(k=k).evaluator(table).classes.at(node)
        assert round(100 * classes.sizes[classes.sizes < k].sum() / table.total, 2) == paper
        assert shoal.OLA(k=k).run(table).published.suppressed <= 0.05 * table.total

    @pytest.mark.parametrize("anonymizer", ["OLA", "Mondrian"])
    @pytest.mark.parametrize("k", [2, 20, 100])
    def test_the_relative_error_is_below_5_percent_from_epsilon_8_on(self, adult, anonymizer, k):
        losses = adult.run(adult.published(k, 8, anonymizer)).losses
        assert losses["relative error, expected (height)"] < 0.05
        assert losses["relative error (height)"] == pytest.approx(losses["relative error, expected (height)"], rel=0.05)

    @pytest.mark.parametrize("anonymizer", ["OLA", "Mondrian"])
    def test_the_linking_risk_is_below_5_percent_for_moderate_k_and_epsilon(self, adult, anonymizer):
        losses = adult.run(adult.published(20, 4, anonymizer)).losses
        assert losses["linking risk (height)"] < 0.05
        assert losses["linking risk (height)"] == pytest.approx(losses["linking risk, expected (height)"], rel=0.2)

    @pytest.mark.parametrize("anonymizer", ["OLA", "Mondrian"])
    @pytest.mark.parametrize("rule", ClassRule)
    @pytest.mark.parametrize("k", [2, 100])
    def test_99_percent_confidence_leaves_out_less_than_2_percent_at_small_epsilon(self, adult, anonymizer, rule, k):
        method = adult.published(k, 1, anonymizer, confidence=0.99, class_rule=rule)
        assert adult.run(method).losses["left out for confidence"] < 0.02
