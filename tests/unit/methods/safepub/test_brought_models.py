"""SafePub with a quality model that somebody brings along: it has no expected score, and is scored on a sample.

Every branch of the coins on small tables, for scores that move as badly as their declared range allows; and a model
that declares too little, which no method could notice, but which the audit does.
"""

from dataclasses import dataclass
from fractions import Fraction

import pytest
from strategies import table_of

import shoal
from shoal.audit import add_remove_neighbors, audit_charges, exact_epsilon
from shoal.data.schema import Role
from shoal.dp.accounting.threshold import SampleAndThreshold
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.errors import InfeasibleError
from shoal.methods import SafePub
from shoal.methods.safepub import method as module
from shoal.methods.safepub.sampled_scores import SampledScore
from shoal.progress import silent
from shoal.quality import Discernibility, Granularity, GroupSize, Loss, NonUniformEntropy, QualityModel
from shoal.quality.base import Change

BINARY = table_of({"a": (Role.QUASI_IDENTIFIER, ["0", "1"]), "b": (Role.QUASI_IDENTIFIER, ["0", "1"])}, [])
CELLS = [(a, b) for a in "01" for b in "01"]
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Brought:
    """One of Shoal's own models behind a name that Shoal does not know: what is proved of its range still holds."""

    model: QualityModel

    def on(self, table, smallest_class=1):
        return self.model.on(table, smallest_class)

    def change(self, k, attributes):
        return self.model.change(k, attributes)


@dataclass(frozen=True)
class Spiteful:
    """Every record moves every scheme, one half of them up and the other half down, as far as the range allows."""

    def on(self, table, smallest_class=1):
        del smallest_class
        return Parity(int(table.counts.sizes.sum()))

    def change(self, k, attributes):
        del k, attributes
        return Change(-0.5, 0.5)


@dataclass(frozen=True)
class Lying:
    """Says that one record moves a score by 1 at the most; the first one moves it by 50."""

    def on(self, table, smallest_class=1):
        del smallest_class
        return FirstRecord(bool(table.counts.sizes.sum()))

    def change(self, k, attributes):
        del k, attributes
        return Change(0.0, 1.0)


@dataclass(frozen=True)
class FirstRecord:
    is_there: bool

    def score(self, classes, suppressed):
        del suppressed
        return -50.0 if classes.domain > 2 and not self.is_there else 0.0

    def loss(self, classes, suppressed):
        return -self.score(classes, suppressed)


@dataclass(frozen=True)
class Parity:
    records: int

    def score(self, classes, suppressed):
        del suppressed
        return float((self.records % 2) * (1 if classes.domain > 2 else -1)) / 2 - 0.25

    def loss(self, classes, suppressed):
        return -self.score(classes, suppressed)


def toy(quality, k=2):
    """ε = 1/2 for the choice, 1/2 for the release, and the δ that makes k what it is."""
    delta = SampleAndThreshold(rate=OneMinusExp(HALF), k=k).delta(HALF)
    method = SafePub(epsilon=1, delta=delta, search_share=0.5, quality=quality)
    assert method.k == k
    return method


def choose(method):
    return lambda rows, coins: method._choose(BINARY.encoded(rows), coins, silent)


def publish(method):
    def run(rows, coins, ledger):
        try:
            outcome = method.run(BINARY.encoded(rows), coins=coins, ledger=ledger)
        except InfeasibleError:
            return None
        return tuple(outcome.recoding.levels.values()), list(outcome.published.codes), outcome.published.sizes

    return run


LOPSIDED = [(rows, (*rows, ("1", "0"))) for rows in ((("0", "0"),) * n + (("1", "0"),) for n in (2, 4, 6))]
MODELS = [
    Brought(Discernibility()),
    Brought(NonUniformEntropy({"a": 3, "b": 0.5})),
    Brought(GroupSize()),
    Brought(Granularity()),
    Brought(Loss()),
    Spiteful(),
]


@pytest.fixture
def sampled(monkeypatch):
    """How often a choice was made on a sample: a test of sampled scores that takes the other path tests nothing."""
    made = []

    class Counted(SampledScore):
        def __init__(self, *given):
            made.append(given)
            super().__init__(*given)

    monkeypatch.setattr(module, "SampledScore", Counted)
    return made


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_choice_among_schemes_loses_no_more_than_its_budget(model, sampled):
    loss = exact_epsilon(choose(toy(model)), [*add_remove_neighbors(CELLS, most=3), *LOPSIDED])
    assert sampled
    assert loss.lost == 0
    assert 0.01 < loss.epsilon <= 0.5


@pytest.mark.parametrize("model", [MODELS[0], MODELS[2], MODELS[-1]], ids=str)
def test_the_whole_release_is_as_private_as_it_claims(model, sampled):
    few = [(("0", "0"),) * n for n in range(4)] + [(("0", "0"), ("1", "1"))]
    bill = audit_charges(publish(toy(model)), [(rows, (*rows, ("0", "0"))) for rows in few])
    assert sampled
    assert bill.holds
    assert bill.needed_delta > 0.5 * bill.delta


def test_a_model_that_declares_less_than_its_range_is_refuted_by_the_audit():
    """It breaks the promise, and no method can know: the certificate says whose word it rests on."""
    assert exact_epsilon(choose(toy(Lying())), add_remove_neighbors(CELLS[:1], most=2)).epsilon > 10


def test_the_certificate_says_that_the_range_of_a_brought_model_is_its_authors_word():
    import pyarrow as pa

    table = pa.table({"a": ["0", "1"] * 300, "b": ["0", "0", "1", "1"] * 150})
    schema = shoal.Schema(
        tuple(
            shoal.Column(name, Role.QUASI_IDENTIFIER, shoal.Categorical(("0", "1")), shoal.flat())
            for name in ("a", "b")
        ),
        person="row",
    )
    said = {}
    for quality in (Loss(), Spiteful()):
        release = SafePub(epsilon=2, delta=1e-3, quality=quality).anonymize(table, schema)
        (proved, _) = release.certificate.guarantees
        said[type(quality)] = (release.certificate.parameters["quality"], " ".join(proved.assumptions))
        assert release.report().html
    assert said[Loss][0] == "loss"
    assert "Spiteful" not in said[Loss][1]
    assert said[Spiteful][0] == "Spiteful"
    assert "one record moves the score of the quality model Spiteful by no more than it declares" in said[Spiteful][1]
