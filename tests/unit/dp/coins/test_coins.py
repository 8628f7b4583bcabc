import pickle
from fractions import Fraction

import numpy as np
import pytest
from test_enclosures import Script

from shoal.audit import EnumeratingCoins
from shoal.dp.coins.coins import BitCoins, Coins, SeededCoins, secure_coins
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.charges import Charges
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.errors import ParameterError

HALF = Fraction(1, 2)
GAPS = np.array([0, 3, 1], dtype=np.int64)
SIZES = np.array([4, 0, 9], dtype=np.int64)


def test_secure_coins_are_not_seeded_and_seeded_coins_say_so():
    assert not secure_coins().seeded
    assert SeededCoins(1).seeded


def test_a_ledger_charges_as_mechanisms_expect():
    ledger = Ledger()
    charges: Charges = ledger
    DiscreteLaplace(epsilon=HALF, sensitivity=1).add(SIZES, SeededCoins(1), charges, "sizes")
    assert ledger.spent.epsilon == HALF


def test_all_kinds_of_coins_offer_the_same_tosses():
    kinds: list[Coins] = [secure_coins(), SeededCoins(1), EnumeratingCoins()]
    verbs = {name for name in vars(Coins) if not name.startswith("_")}
    assert len(verbs) == 17
    for coins in kinds:
        assert all(hasattr(coins, verb) for verb in verbs)


def transcript(coins):
    return [
        coins.randbelow(1000),
        coins.bernoulli(HALF),
        coins.bernoulli_exp(HALF),
        coins.geometric(HALF),
        coins.discrete_laplace(HALF),
        coins.discrete_gaussian(Fraction(9)),
        coins.permutation(20).tolist(),
        coins.thin(np.arange(50), OneMinusExp(HALF)).tolist(),
        coins.randbelows(1000, 20).tolist(),
        coins.geometrics(HALF, 20).tolist(),
        coins.discrete_laplaces(HALF, 20).tolist(),
        coins.discrete_gaussians(Fraction(9), 20).tolist(),
        coins.bernoulli_exps(np.arange(20), HALF).tolist(),
        coins.choose_exp(np.arange(20), Fraction(1, 50)),
    ]


def test_a_seed_repeats_every_toss_and_the_system_does_not():
    assert transcript(SeededCoins(5)) == transcript(SeededCoins(5))
    assert transcript(SeededCoins(5)) != transcript(SeededCoins(6))
    assert transcript(secure_coins()) != transcript(secure_coins())


def test_secure_coins_survive_a_copy_without_carrying_a_secret():
    copy = pickle.loads(pickle.dumps(secure_coins()))
    assert not copy.seeded
    assert copy.randbelow(2**64) != secure_coins().randbelow(2**64)


def test_randbelow_rejects_what_is_too_large():
    script = Script(b"\x0f", b"\x2d", b"\x03")
    assert BitCoins(script).randbelow(13) == 3  # 15 is too large, 0x2d masked to four bits is 13 and too large
    assert SeededCoins(1).randbelow(1) == 0
    assert SeededCoins(1).randbelow(10**30) < 10**30


def test_arrays_have_the_promised_length_type_and_range():
    coins = SeededCoins(3)
    thinned = coins.thin(SIZES, Fraction(1, 3))
    assert thinned.dtype == np.int64
    assert ((thinned >= 0) & (thinned <= SIZES)).all()
    for drawn in (
        coins.randbelows(7, 100),
        coins.geometrics(HALF, 100),
        coins.discrete_laplaces(HALF, 100),
        coins.discrete_gaussians(Fraction(3), 100),
        coins.permutation(100),
    ):
        assert drawn.dtype == np.int64
        assert drawn.shape == (100,)
    assert sorted(coins.permutation(100)) == list(range(100))
    assert coins.bernoulli_exps(GAPS, HALF).dtype == np.bool_
    assert coins.choose_exp(GAPS, HALF, np.array([1, 2, 3])) in {0, 1, 2}


def test_nothing_asked_for_is_nothing_drawn():
    coins, nothing = SeededCoins(3), np.zeros(0, dtype=np.int64)
    assert len(coins.thin(nothing, HALF)) == 0
    assert len(coins.bernoulli_exps(nothing, HALF)) == 0
    assert len(coins.permutation(0)) == 0
    for drawn in (coins.randbelows(2, 0), coins.geometrics(HALF, 0), coins.discrete_gaussians(HALF, 0)):
        assert len(drawn) == 0


def test_integers_are_as_good_as_fractions():
    coins, same = SeededCoins(4), SeededCoins(4)
    assert [coins.bernoulli_exp(1) for _ in range(50)] == [same.bernoulli_exp(Fraction(1)) for _ in range(50)]
    assert coins.discrete_laplaces(2, 9).tolist() == same.discrete_laplaces(Fraction(2), 9).tolist()
    assert coins.bernoulli(1)
    assert not coins.bernoulli(0)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda coins: coins.randbelow(0),
        lambda coins: coins.randbelows(0, 1),
        lambda coins: coins.randbelows(2**63 + 1, 1),
        lambda coins: coins.randbelows(2, -1),
        lambda coins: coins.bernoulli(Fraction(3, 2)),
        lambda coins: coins.bernoulli(0.5),
        lambda coins: coins.bernoulli_exp(Fraction(-1)),
        lambda coins: coins.bernoulli_exp(0.5),
        lambda coins: coins.geometric(Fraction(0)),
        lambda coins: coins.geometrics(Fraction(-1), 5),
        lambda coins: coins.discrete_laplace(0.1),
        lambda coins: coins.discrete_laplaces(0.1, 5),
        lambda coins: coins.discrete_gaussian(Fraction(0)),
        lambda coins: coins.discrete_gaussians(2.0, 5),
        lambda coins: coins.permutation(-1),
        lambda coins: coins.thin(np.array([-1]), HALF),
        lambda coins: coins.thin(SIZES, Fraction(3, 2)),
        lambda coins: coins.bernoulli_exps(GAPS, Fraction(0)),
        lambda coins: coins.bernoulli_exps(-GAPS, HALF),
        lambda coins: coins.choose_exp(GAPS + 1, HALF),
        lambda coins: coins.choose_exp(GAPS[:0], HALF),
        lambda coins: coins.choose_exp(GAPS, HALF, np.array([1, 2])),
        lambda coins: coins.choose_exp(GAPS, HALF, np.array([1, 0, 2])),
    ],
)
def test_misuse_is_refused_with_a_sentence(misuse):
    with pytest.raises(ParameterError, match=r"^\w+: .*\.$"):
        misuse(SeededCoins(1))
