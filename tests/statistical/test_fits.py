"""The tool that judges samplers is judged first."""

import numpy as np
import pytest
from fits import agree, cells, chi_square_tail, fit_p_value, fits, merged

LAW = np.array([0.4, 0.3, 0.2, 0.08, 0.0199, 0.0001])


def test_the_tail_is_that_of_tables():
    assert chi_square_tail(3.841459, 1) == pytest.approx(0.05, rel=1e-6)
    assert chi_square_tail(23.92813, 1) == pytest.approx(1e-6, rel=1e-4)
    assert chi_square_tail(18.307038, 10) == pytest.approx(0.05, rel=1e-6)


def test_a_right_law_is_rejected_about_as_often_as_stated():
    generator = np.random.default_rng(1)
    values = np.array([fit_p_value(generator.multinomial(5_000, LAW), LAW) for _ in range(2_000)])
    for alpha in (0.5, 0.1, 0.01):
        assert abs((values < alpha).mean() - alpha) < 5 * np.sqrt(alpha * (1 - alpha) / 2_000)


def test_a_wrong_law_is_rejected():
    drawn = np.random.default_rng(2).multinomial(20_000, LAW)
    off = LAW * [1.1, 0.9, 1, 1, 1, 1]
    assert fits(drawn, LAW, alpha=1e-6)
    assert not fits(drawn, off / off.sum(), alpha=1e-6)


def test_an_impossible_outcome_is_rejected_outright():
    assert not fits([50, 50, 1], [0.5, 0.5, 0.0], alpha=1e-6)


def test_merging_keeps_all_draws_and_leaves_no_sparse_cell():
    seen, expected = merged(np.array([1.0, 0, 30, 70, 2]), np.array([0.5, 3, 28, 69, 2.5]))
    assert seen.sum() == 103
    assert expected.sum() == 103
    assert expected.min() >= 25


def test_two_samples_agree_when_their_laws_do():
    generator = np.random.default_rng(3)
    one = generator.multinomial(20_000, LAW)
    assert agree(one, generator.multinomial(50_000, LAW), alpha=1e-6)
    off = LAW * [1.1, 0.9, 1, 1, 1, 1]
    assert not agree(one, generator.multinomial(50_000, off / off.sum()), alpha=1e-6)


def test_agreement_is_refused_about_as_often_as_stated():
    generator = np.random.default_rng(4)
    pairs = [(generator.multinomial(2_000, LAW), generator.multinomial(3_000, LAW)) for _ in range(1_000)]
    assert abs(np.mean([not agree(*pair, alpha=0.1) for pair in pairs]) - 0.1) < 5 * np.sqrt(0.09 / 1_000)


def test_cells_count_every_draw_once():
    counts, probabilities = cells([-3, -1, 0, 0, 1, 7], lambda n: np.full(n.shape, 0.1), reach=2)
    assert counts.tolist() == [0, 1, 2, 1, 0, 2]
    assert probabilities.sum() == pytest.approx(1)


@pytest.mark.parametrize(("drawn", "law"), [([1, 2], [1.0]), ([1, 2], [0.5, 0.6]), ([3, 3], [0.5, 0.5])])
def test_nonsense_is_refused(drawn, law):
    with pytest.raises(ValueError, match=r"counts|distribution|too few"):
        fits(drawn, law, alpha=0.1)
