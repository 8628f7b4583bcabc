"""What rigorous DiffGen is good for: its law against plain arithmetic, and toys whose best cut is known by hand.

A wrong sign, a candidate left out or a price forgotten breaks no promise of privacy, and so no audit; it breaks these.
"""

import math
from collections import Counter, defaultdict
from fractions import Fraction

import pytest
from test_diffgen_oracles import encoded

import shoal
from shoal.audit.enumeration import distribution
from shoal.data.domain import Categorical, Grid
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.best_of_runs import BestOfRuns
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.methods.diffgen.growth import grow_by_purity, grow_by_value
from shoal.progress import silent
from shoal.search.top_down.cut import GrowingCut
from shoal.search.top_down.value_scores import ValueScores, largest_classes

JOBS = {"any": {"craft": ["baker", "smith"], "office": ["clerk"]}}
EVERYBODY = ("baker", "smith", "clerk")
BELOW = {
    EVERYBODY: [(("baker", "smith"), ("clerk",)), (("baker",), ("smith",), ("clerk",))],
    ("baker", "smith"): [(("baker",), ("smith",))],
}
"""What a set of jobs can be replaced by: the nodes one step below in the taxonomy, or two."""


def toy(records):
    tree = shoal.tree(JOBS)
    columns = [
        ("age", Grid.between(0, 3), None),
        ("job", tree.leaves(), tree),
        ("class", Categorical(("N", "Y")), None),
    ]
    return encoded(records, columns)


def start(records):
    return GrowingCut(toy(records), ["age", "job"], "class")


def cut_of(cut):
    return tuple(tuple(axis.firsts.tolist()) for axis in cut.axes)


# The law of the growth, enumerated by hand: one exponential choice among all specializations, and to stop.


def purity(records, ages, jobs):
    """−Σ ⌊2^9 (n² − Σ n_y²) / n⌋ over the groups of a cut, in units of 2^−10 records (docs/proofs/diffgen.md, 3)."""
    total = 0
    for low, high in ages:
        for some in jobs:
            counts = Counter(y for age, job, y in records if low <= age <= high and job in some)
            n = sum(counts.values())
            total -= 512 * (n * n - sum(c * c for c in counts.values())) // n if n else 0
    return total


def ways(ages, jobs):
    """Every specialization: the cut it leads to, and what it weighs before the data are looked at."""
    for low, high in ages:
        for at in range(low + 1, high + 1):
            yield (*[a for a in ages if a != (low, high)], (low, at - 1), (at, high)), jobs, Fraction(1, high - low)
    for some in jobs:
        for children in BELOW.get(some, []):
            yield ages, (*[j for j in jobs if j != some], *children), Fraction(1)


def law_by_hand(records, steps, epsilon, price, most_cells):
    """Cut -> probability."""
    law = defaultdict(float)

    def first_leaves(ages, jobs):
        return tuple(sorted(low for low, _ in ages)), tuple(sorted(EVERYBODY.index(some[0]) for some in jobs))

    def grow(left, ages, jobs, chance):
        groups = len(ages) * len(jobs)
        fitting = [way for way in ways(ages, jobs) if 2 * len(way[0]) * len(way[1]) <= most_cells]
        if not left or not fitting:
            law[first_leaves(ages, jobs)] += chance
            return
        before = purity(records, ages, jobs)
        options = [(ages, jobs, 1.0)]  # to stop: gains nothing, costs nothing, weighs as much as one value
        for more_ages, more_jobs, weight in fitting:
            paid = int(price * 1024 * (len(more_ages) * len(more_jobs) - groups))
            gain = purity(records, more_ages, more_jobs) - before - paid
            options.append((more_ages, more_jobs, float(weight) * math.exp(float(epsilon) * gain / 1024)))
        whole = sum(weight for *_, weight in options)
        law[first_leaves(ages, jobs)] += chance * options[0][2] / whole
        for more_ages, more_jobs, weight in options[1:]:
            grow(left - 1, more_ages, more_jobs, chance * weight / whole)

    grow(steps, ((0, 3),), (EVERYBODY,), 1.0)
    return law


MIXED = (
    *[(0, "baker", "N")] * 3, *[(1, "smith", "Y")] * 2, *[(2, "clerk", "Y")] * 3, (3, "baker", "Y"), (3, "smith", "N"),
)  # fmt: skip


@pytest.mark.parametrize("records", [(), MIXED[:4], MIXED])
@pytest.mark.parametrize(("price", "most_cells"), [(Fraction(0), 10**6), (Fraction(1, 3), 10**6), (Fraction(1, 7), 9)])
def test_the_rigorous_growth_has_the_law_enumerated_by_hand(records, price, most_cells):
    epsilon = Fraction(3, 2)

    def ours(coins):
        cut, ledger = start(records), Ledger()
        spent = grow_by_purity(cut, 2, epsilon, price, lambda cells: cells <= most_cells, coins, ledger, silent)
        assert spent == ledger.spent.epsilon
        return cut_of(cut)

    law, expected = distribution(ours).masses, law_by_hand(records, 2, epsilon, price, most_cells)
    assert law.keys() == expected.keys()
    for outcome, chance in expected.items():
        assert law[outcome] == pytest.approx(chance, rel=1e-6)


# Toys with a budget so large that chance has no say (each choice errs with probability below e^−50): the best is grown.

PLENTY = 1000
SPLIT = [(age, job, "Y" if age >= 2 else "N") for age in range(4) for job in EVERYBODY for _ in range(20)]
"""The class is whether the age is 2 or more."""
TRADE = [(age, job, "Y" if job == "clerk" else "N") for age in range(4) for job in EVERYBODY for _ in range(20)]
"""The class is whether somebody sits in an office."""
SMITHS = [(age, job, "Y" if job == "smith" else "N") for age in range(4) for job in EVERYBODY for _ in range(20)]
"""The class hangs on jobs two steps below: no single step shows it."""
BOTH = [
    (age, job, "Y" if age >= 2 or job == "clerk" else "N") for age in range(4) for job in EVERYBODY for _ in range(20)
]
"""The class needs both columns: 2 splits make it pure, and no fewer do."""


def released(records, **settings):
    method = shoal.DiffGen(epsilon=PLENTY, target="class", show="groups", **settings)
    outcome = method.run(toy(records), ledger=Ledger(), coins=SeededCoins(5))
    table = outcome.published
    keys = list(zip(*(table.column(name).tolist() for name in ("age", "job", "class")), strict=True))
    return outcome, dict(zip(keys, table.sizes.tolist(), strict=True))


def classified_rightly(records, counts, outcome):
    """How many records have the class that prevails in their published group."""
    table = toy(records)
    lookups = [outcome.recoding.lookup(a) for a in table.attributes[:2]]
    prevails = defaultdict(Counter)
    for (age, job, y), count in counts.items():
        prevails[age, job][y] += count
    right = 0
    for i, size in enumerate(table.counts.sizes.tolist()):
        codes = [int(table.counts.column(name)[i]) for name in ("age", "job", "class")]
        group = tuple(int(lookup.codes[code]) for lookup, code in zip(lookups, codes, strict=False))
        right += size * (prevails[group].most_common(1)[0][0] == codes[2])
    return right


@pytest.mark.parametrize("utility", list(shoal.Utility))
@pytest.mark.parametrize(
    ("records", "steps", "values"),
    [
        (SPLIT, 1, {"age": 2, "job": 1}),
        (TRADE, 1, {"age": 1, "job": 2}),
    ],
)
def test_one_specialization_is_the_one_that_tells_the_classes_apart(records, steps, values, utility):
    outcome, counts = released(records, specializations=steps, utility=utility)
    assert outcome.search["values"] == values
    assert sum(counts.values()) == len(records)
    assert classified_rightly(records, counts, outcome) == len(records)
    assert len(counts) == 2  # two groups, each of one class


def test_a_taxonomy_is_followed_two_steps_where_one_step_shows_less():
    outcome, counts = released(SMITHS, specializations=1)
    assert outcome.search["values"] == {"age": 1, "job": 3}
    assert sorted(counts.values()) == [80, 80, 80]
    assert classified_rightly(SMITHS, counts, outcome) == len(SMITHS)


def test_two_specializations_make_pure_what_two_columns_decide():
    outcome, counts = released(BOTH, specializations=2)
    assert outcome.search["values"] == {"age": 2, "job": 2}
    assert sorted(counts.values()) == [40, 40, 80, 80]
    assert classified_rightly(BOTH, counts, outcome) == len(BOTH)


def test_one_specialization_of_what_two_columns_decide_is_the_purest():
    """By age: a half of 120 is pure, the other has 40 of 120 in the smaller class; by office 80 of 160 would be."""
    outcome, counts = released(BOTH, specializations=1)
    assert outcome.search["values"] == {"age": 2, "job": 1}
    assert sorted(counts.values()) == [40, 80, 120]
    assert classified_rightly(BOTH, counts, outcome) == len(BOTH) - 40


# What the method hands to the growth


@pytest.mark.parametrize(("epsilon", "steps", "share"), [(1, 4, 0.7), (2, 10, 0.5)])
def test_the_budget_of_a_choice_and_the_price_of_a_group(epsilon, steps, share, monkeypatch):
    """Each of h choices gets its part of the share; a group costs a fifth of a record times the scale of the noise."""
    seen = []

    def noted(_cut, steps, each, price, *_, **__):
        seen.append((steps, each, price))
        return Fraction(0)

    monkeypatch.setattr("shoal.methods.diffgen.method.grow_by_purity", noted)
    method = shoal.DiffGen(epsilon=epsilon, target="class", specializations=steps, search_share=share, show="groups")
    ledger = Ledger()
    method.run(toy(SPLIT), ledger=ledger, coins=SeededCoins(1))
    part = Fraction(str(share))
    each, price = epsilon * part / steps, Fraction(1, 5) / (epsilon * (1 - part - Fraction(1, 100)))
    assert seen == [(steps, each, price)]
    assert ledger.spent.epsilon == epsilon  # what choices left went to the counts


def test_the_default_number_of_specializations_follows_the_noisy_number_of_records(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "shoal.methods.diffgen.method.grow_by_purity", lambda _cut, steps, *_, **__: seen.append(steps) or Fraction(0)
    )
    shoal.DiffGen(epsilon=PLENTY, target="class", show="groups").run(
        toy(SPLIT * 4), ledger=Ledger(), coins=SeededCoins(1)
    )
    shoal.DiffGen(epsilon=PLENTY, target="class", show="groups").run(
        toy(SPLIT[:30]), ledger=Ledger(), coins=SeededCoins(1)
    )
    shoal.DiffGen(epsilon=1, target="class", expected_records=30_000, show="groups").run(
        toy(SPLIT), ledger=Ledger(), coins=SeededCoins(1)
    )
    assert seen == [20, 10, 10]  # √(ε n / 300): 56, cut off at 20; √(1000 · 30 / 300); √(30,000 / 300)


def test_a_tuned_run_is_scored_by_how_many_records_it_classifies_rightly():
    """One specialization classifies 200 of 240 rightly, two all of them."""
    seen = set()

    def choose(_self, run, coins, *_):
        runs = [run(coins) for _ in range(8)]
        seen.update(score for _, score in runs)
        return max(runs, key=lambda pair: pair[1])[0]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(BestOfRuns, "choose", choose)
        outcome, counts = released(BOTH, tune=(1, 2))
    assert seen == {200, 240}
    assert classified_rightly(BOTH, counts, outcome) == 240


def test_max_grows_the_two_values_whose_children_have_the_largest_classes():
    """Split at 2 the ages have 120 + 80 records of their largest classes; then the jobs 80 + 80, another age 120."""
    cut = start(BOTH)
    choice = ExponentialMechanism(epsilon=Fraction(100), score_range=Fraction(1))
    spent = grow_by_value(cut, ValueScores(cut, largest_classes), 2, choice, SeededCoins(1), Ledger(), silent)
    assert spent == 200
    assert cut_of(cut) == ((0, 2), (0, 2))


def test_growth_tells_how_far_it_is():
    """Before each choice, as a share of all of them."""
    for grow in ("purity", "max"):
        told = []
        method = shoal.DiffGen(epsilon=PLENTY, target="class", specializations=2, utility=grow, show="groups")
        method.run(
            toy(BOTH),
            ledger=Ledger(),
            coins=SeededCoins(1),
            progress=lambda task, share, told=told: told.append((task, share)),
        )
        assert told == [("specializing", 0.0), ("specializing", 0.5)]
