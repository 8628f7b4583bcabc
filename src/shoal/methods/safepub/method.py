"""SafePub: truthful records, sampled and generalized, with (ε, δ)-differential privacy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from shoal.criteria import Criterion, KAnonymity
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.schema import Schema
from shoal.dp.accounting.budget_range import require_delta, require_epsilon
from shoal.dp.accounting.composition import for_each_record
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.accounting.threshold import Accounting, KRule, SampleAndThreshold, smallest_threshold
from shoal.dp.coins.coins import Coins
from shoal.dp.coins.sampling_rate import OneMinusExp, SamplingRate
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.selection import PermuteAndFlip
from shoal.errors import InfeasibleError, ParameterError, SchemaError, listed, nearest
from shoal.methods.base import Mode, Publishes
from shoal.methods.parts.declared import declared_columns, require_floor
from shoal.methods.safepub.candidates import candidate_schemes
from shoal.methods.safepub.expected_scores import expected_score, has_expected_score, require_table
from shoal.methods.safepub.published import search_as_published
from shoal.methods.safepub.sampled_scores import SampledScore
from shoal.parameters import Count, Number, exact, read_parameters
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import PUBLIC, Basis, Guarantee
from shoal.quality import Classification, GroupSize, Loss, QualityModel
from shoal.quality.base import checked_weights
from shoal.search.lattice import Lattice, Node, NodeClasses

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable

Score = TypeVar("Score", int, float)

_CLASSES_WORTH_HAVING = 25
"""With a public size of the table, β trades records kept against classes kept as if a scheme had so many classes."""


class Several(Enum):
    """What is counted where several records of each person take part."""

    RECORDS = "records"
    """Records, k of them alike: of k/m persons at least."""
    PERSONS = "persons"
    """Persons who have a drawn record in the class, k of them; each is published once."""
    WHOLE = "whole"
    """Persons whose generalized records are all equal, k of them; each is published with all their records."""


@dataclass(frozen=True, kw_only=True)
class SafePub(Publishes):
    """Publish a random sample of the records, generalized, and only where k or more of them look alike in all columns.

    Rigorous (the default): candidate schemes are drawn without looking at the data; one of them is selected by
    permute-and-flip with its own budget; a fresh sample is drawn, generalized, and classes below k are left out. As
    published: the search of the paper, whose choice of a scheme has no privacy guarantee (theory SP-3, SP-4).

    Attributes:
        epsilon: The whole budget ε: the smaller it is, the less one record can change what is published.
        delta: δ: how much a probability may change beyond the factor e^ε; far below one in the number of records.
        quality: What to keep as much of as possible.
        mode: `rigorous`, whose promise is proved, or `as_published`, which follows the paper, for comparison with it.
        search_share: The share of ε that the choice of a scheme may spend.
        candidates: How many schemes to choose from: all of a lattice that is not larger; of a larger one so many are
            drawn without looking at the data, coarse ones more often.
        schemes: Schemes to choose from, given as levels per column; a single one needs no budget for the choice.
        sampling_rate: β; 1 − e^−ε_anon if not given, or found from `expected_records`.
        expected_records: About how many records the table has, if that is public: β then grows with it, unless it is
            classes that are to be kept (classification, group size).
        steps: Iterations of the published search.
        several: What is counted where several records of each person take part (`max_records` in [data]): `records`,
            which needs the smaller k; `persons`: every published record of a class is another person's; or `whole`:
            persons are drawn with all their records, and published with k others who have equal ones.
        floor: For some columns a level of their hierarchy that no scheme goes below. Records are counted at it: fewer
            are different then.

    Guarantee: (ε, δ)-DP under add/remove-one-record, if domains, hierarchies and parameters are public; where the
        table tells persons apart, under add/remove of one person with all their records.
    Paper: SafePub §3 to §6, Figures 4, 5 and 7; rigorous variant: theory 2d, with the expected scores of
        `expected_scores`.
    """

    name: ClassVar[str] = "safepub"
    reading: ClassVar[str] = (
        "The records are a random sample of the original; values are true, but may be coarser than in the original."
    )

    epsilon: Number
    delta: Number
    quality: QualityModel = field(default_factory=Loss)
    mode: Mode = Mode.RIGOROUS
    search_share: float = 0.1
    candidates: Count = 20_000
    schemes: Sequence[Mapping[str, int]] = ()
    sampling_rate: Number | None = None
    expected_records: int | None = None
    steps: Count = 300
    several: Several = Several.RECORDS
    floor: Mapping[str, Count] | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        require_epsilon(self.epsilon)
        require_delta(self.delta, or_zero=False)
        if not 0 < self.search_share < 1:
            raise ParameterError(f"search_share is a share of epsilon between 0 and 1; got {self.search_share!r}.")
        if self.mode is Mode.AS_PUBLISHED and self.sampling_rate is not None:
            raise ParameterError(
                "the published method samples with 1 − e^−epsilon; sampling_rate is for the rigorous mode."
            )
        if self.mode is Mode.AS_PUBLISHED and len(self.schemes) > 1:
            raise ParameterError(
                "the published search walks the whole lattice; give it one scheme to do without a search, or none."
            )
        if self.mode is Mode.AS_PUBLISHED and self.floor:
            raise ParameterError("the published search walks the whole lattice; floor is for the rigorous mode.")
        for scheme in self.schemes:
            below = [name for name, level in self.floors.items() if scheme.get(name, 0) < level]
            if below:
                raise ParameterError(
                    f"a scheme has {listed(below)} below the floor; raise it there, or lower the floor."
                )
        k = self.k
        if self.search_epsilon:
            self.quality.change(k, ())  # refuses a model that one record can change without bound
            if self.mode is Mode.RIGOROUS:
                require_table(float(self.rate), k)

    # Budget and parameters: all public, all known before a row is read.

    @property
    def search_epsilon(self) -> Fraction:
        """What the choice of a scheme may spend: nothing if there is none to make."""
        if len(self.schemes) == 1:
            return Fraction(0)
        return exact(self.epsilon) * exact(self.search_share)

    @property
    def _choice_epsilon(self) -> Fraction:
        """What of it one record of the table may cost."""
        return self.search_epsilon

    @property
    def anon(self) -> PrivacyCost:
        """What sampling, generalizing and suppressing may spend."""
        return PrivacyCost(exact(self.epsilon) - self.search_epsilon, exact(self.delta))

    @property
    def cost(self) -> PrivacyCost:
        """What a release costs."""
        return PrivacyCost(exact(self.epsilon), exact(self.delta))

    def for_several(self, records: int) -> SafePub:
        """With a budget for each record that adds up to the whole for so many: records are drawn one by one.

        Or, if persons are to be counted, with a k of their own, or as wholes.

        Persons drawn, with their records in separate classes, would give them away (`docs/proofs/persons.md`).
        """
        if self.several is Several.PERSONS:
            from shoal.methods.safepub.distinct_persons import counting_persons

            return counting_persons(self, records)
        if self.several is Several.WHOLE:
            from shoal.methods.safepub.whole_persons import whole_persons

            return whole_persons(self, records)
        each = for_each_record(self.cost, records)
        return replace(self, epsilon=each.epsilon, delta=each.delta)

    @cached_property
    def rate(self) -> SamplingRate:
        """β, the probability with which each record is drawn."""
        if self.sampling_rate is not None:
            return exact(self.sampling_rate, "sampling_rate")
        published = OneMinusExp(self.anon.epsilon)
        keeps_classes = isinstance(self.quality, Classification | GroupSize)
        if self.expected_records is None or keeps_classes or self.mode is Mode.AS_PUBLISHED:
            return published
        rates: list[SamplingRate] = [published]
        rates += [r for r in (Fraction(n, 20) for n in range(1, 20)) if r > float(published)]
        return max(rates, key=lambda rate: self._worth(rate, self.expected_records or 1))

    def _worth(self, rate: SamplingRate, records: int) -> float:
        lost = _CLASSES_WORTH_HAVING * self._threshold(rate) / (float(rate) * records)
        return float(rate) * (1 - lost)

    @cached_property
    def k(self) -> int:
        """How many records must look alike in all columns."""
        return self._threshold(self.rate)

    def _threshold(self, rate: SamplingRate) -> int:
        if self.mode is Mode.AS_PUBLISHED:
            return smallest_threshold(rate, self.anon.epsilon, self.anon.delta, Accounting.PAPER, KRule.PAPER)
        return smallest_threshold(rate, self.anon.epsilon, self.anon.delta)

    # The table

    @property
    def _target(self) -> str | None:
        return self.quality.target if isinstance(self.quality, Classification) else None

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """All published columns; their domains must be declared."""
        counted, target = declared_columns(schema, self.name), self._target
        unknown = [name for scheme in self.schemes for name in scheme if name not in counted]
        if unknown:
            raise SchemaError(
                f"a scheme gives a level for {listed(unknown)}, which is not published: {listed(counted, 12)}."
            )
        if target is not None and target not in counted:
            raise SchemaError(f"the target {target!r} is not among the published columns {listed(counted, 12)}.")
        require_floor(self.floors, counted, target)
        return counted

    @property
    def floors(self) -> Mapping[str, int]:
        """The levels that records may be counted at: what that makes of a record is public, and no other's concern."""
        return self.floor or {}

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """Every published class has k or more records; that can be checked on the release."""
        del table
        return (KAnonymity(self.k),)

    def guarantees(self, outcome: Outcome | None = None) -> tuple[Guarantee, ...]:
        """What is promised, on what basis."""
        del outcome  # all of it follows from the parameters
        if self.mode is Mode.AS_PUBLISHED and self.search_epsilon:
            return (Guarantee(statements.safepub_published(self.anon), Basis.CLAIMED, neighbors=Neighbors.ADD_REMOVE),)
        if not self.search_epsilon:
            statement = statements.safepub_fixed_scheme(self.cost)
        else:
            statement = statements.safepub_rigorous(self.cost)
        assumptions: tuple[str, ...] = _ASSUMPTIONS
        if self.search_epsilon and not has_expected_score(self.quality):
            model = type(self.quality).__name__
            assumptions += (f"one record moves the score of the quality model {model} by no more than it declares",)
        return (Guarantee(statement, Basis.PROVED, assumptions, Neighbors.ADD_REMOVE, cost=self.cost),)

    def facts(self) -> dict[str, Any]:
        """What a reader of the certificate may know: the sampling rate, k, and what holds at larger ε."""
        accounting = Accounting.PAPER if self.mode is Mode.AS_PUBLISHED else Accounting.EXACT
        operator = SampleAndThreshold(rate=self.rate, k=self.k, accounting=accounting)
        larger = [self.anon.epsilon * Fraction(n, 4) for n in range(4, 13, 2)]
        is_searched = self.mode is Mode.AS_PUBLISHED and self.search_epsilon > 0  # then nothing holds for the whole
        search = Fraction(0) if is_searched else self.search_epsilon
        return {
            "sampling rate": float(self.rate),
            "k": self.k,
            "also holds for a fixed scheme" if is_searched else "also holds": [
                {"epsilon": float(at.epsilon + search), "delta": float(at.delta)} for at in operator.smoothness(larger)
            ],
        }

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Choose a scheme, draw a fresh sample, generalize it, leave out what is below k.

        `table` must have every column as a quasi-identifier: `table.all_quasi_identifiers()`.
        """
        self._check(table)
        if self.mode is Mode.AS_PUBLISHED:
            return self._run_as_published(table, coins, ledger, progress)
        self._pay(ledger)
        node = self._choose(table, coins, progress)
        sample = table.counts.thin(self.rate, coins)  # fresh coins: nothing of the choice's randomness is used again
        return self._publish(table, sample, node)

    def _check(self, table: EncodedTable) -> None:
        """Refuse what cannot be done, by what is public, before anything is spent."""
        assert not table.sensitive, "a column that is not generalized would not take part in the scores"
        names, target = [attribute.name for attribute in table.quasi_identifiers], self._target
        heights = dict(zip(names, Lattice.of(table).heights, strict=True))
        checked_weights(getattr(self.quality, "weights", {}), table)
        if target is not None and (target not in names or len(names) == 1):
            raise SchemaError(f"the target {target!r} must be published, and so must a column to tell it from.")
        for scheme in self.schemes:
            _check_scheme(scheme, heights, target)
        if self.expected_records is not None and self.expected_records * float(self.rate) < self.k:
            raise InfeasibleError(
                f"a table of about {self.expected_records:,} records is too small for k = {self.k}, and nothing was "
                f"spent. {self._alike} Use a larger delta or epsilon, or a smaller sampling_rate."
            )
        if len(self.schemes) == 1 and heights == {name: self.schemes[0].get(name, 0) for name in names}:
            raise InfeasibleError("the only scheme hides every value, so there would be nothing to publish.")
        free = [height - self.floors.get(name, 0) for name, height in heights.items() if name != target]
        if not self.schemes and not any(free):
            raise SchemaError(
                "every hierarchy has one level only, or one above the floor; there is no scheme to choose."
            )

    @property
    def needs(self) -> str:
        """What it takes for a class to be published, by what is public: nothing here may depend on the table."""
        return f"{self._alike} Use a larger table, a larger delta or epsilon, fewer columns or coarser hierarchies."

    @property
    def _alike(self) -> str:
        alike = ceil(self.k / float(self.rate))
        sentence = (
            f"With a sample of {float(self.rate):.0%} it takes about {alike:,} records that look alike in all columns"
        )
        if self.expected_records is None:
            return sentence + "."
        most = int(self.expected_records * float(self.rate) / self.k)
        of_all = f"of {self.expected_records:,} records at most {most:,} classes can be expected to be published"
        return f"{sentence}; {of_all}."

    def _pay(self, ledger: Ledger) -> None:
        """Charge for all of it before a coin is tossed, or for nothing."""
        if ledger.remaining is not None:
            Ledger(ledger.remaining).charge(self.cost, "safepub")  # refused here, a release leaves no trace
        if self.search_epsilon:
            ledger.charge(PrivacyCost(self.search_epsilon), "choose the generalization scheme")
        ledger.charge(self.anon, "sample, generalize, suppress")

    def _choose(self, table: EncodedTable, coins: Coins, progress: Progress) -> Node:
        """One of the candidate schemes, by its expected score, or by its score on a sample; the caller has paid."""
        schemes = self._candidates(table, coins)
        if len(schemes) == 1:
            return schemes[0]
        expected = expected_score(self.quality, table, float(self.rate), self.k, looks=len(schemes))
        if expected is None:
            sampled = SampledScore(self.quality, table, self.rate, self.k, self._choice_epsilon, coins)
            return schemes[sampled.select(all_scores(sampled.of, schemes, progress), coins)]
        choice = PermuteAndFlip(epsilon=self._choice_epsilon, score_range=Fraction(expected.range))
        scores, is_exact = expected.near_the_best(schemes, choice.far, progress)
        return schemes[choice.select_near(scores, is_exact, lambda i: expected.of(schemes[i]), coins)]

    def _candidates(self, table: EncodedTable, coins: Coins) -> list[Node]:
        """Schemes that see no data; never the one that hides all."""
        names = [attribute.name for attribute in table.quasi_identifiers]
        if self.schemes:
            return [tuple(scheme.get(name, 0) for name in names) for scheme in self.schemes]
        least = [self.floors.get(name, 0) for name in names]
        sizes = [
            [level.size for level in attribute.hierarchy.levels[floor:]]
            for attribute, floor in zip(table.quasi_identifiers, least, strict=True)
        ]
        if self._target is not None:
            at = names.index(self._target)
            sizes[at] = sizes[at][:1]
        drawn = candidate_schemes(sizes, self.candidates, coins)
        if not any(least):
            return drawn
        return [tuple(level + floor for level, floor in zip(node, least, strict=True)) for node in drawn]

    def _run_as_published(self, table: EncodedTable, coins: Coins, ledger: Ledger, progress: Progress) -> Outcome:
        """Figure 4: one sample for search and release."""
        ledger.charge(self.cost, "safepub as published; claimed, not proved")
        sample = table.counts.thin(self.rate, coins)  # line 1
        if len(self.schemes) == 1:
            node = self._candidates(table, coins)[0]
        else:
            node = search_as_published(
                table.with_counts(sample), self.quality, self.k, self.search_epsilon, self.steps, coins, progress
            )
        return self._publish(table, sample, node)  # line 11

    def _publish(self, table: EncodedTable, sample: Counts, node: Node) -> Outcome:
        """Figure 5. Suppressed rows and rows that are generalized altogether are dropped, not starred (SP-2)."""
        classes = NodeClasses(table)
        recoding = classes.recoding(node)
        published = replace(recoding.apply(table.with_counts(sample)).suppress_below(self.k), suppressed=0)
        if node == Lattice.of(table).top or len(published) == 0:
            return self.nothing(table)
        everywhere = classes.at(node)
        nowhere = np.zeros(len(everywhere), dtype=np.bool_)
        return Outcome.recoded(table, recoding, published, classes=everywhere, suppressed=nowhere)

    def nothing(self, table: EncodedTable) -> Outcome:
        """No class reached k: no records, in columns that hide everything, whatever scheme was chosen."""
        classes = NodeClasses(table)
        top = Lattice.of(table).top
        recoding = classes.recoding(top)
        widths = [recoding.lookup(attribute).size for attribute in table.attributes]
        published = Counts.empty([attribute.name for attribute in table.attributes], widths)
        everywhere = classes.at(top)
        all_of_them = np.ones(len(everywhere), dtype=np.bool_)
        return Outcome.recoded(table, recoding, published, classes=everywhere, suppressed=all_of_them)


_ASSUMPTIONS = (
    "one record for each person",
    f"domains, hierarchies and parameters {PUBLIC}",
    "nobody observes how long the computation takes",
)


def _check_scheme(scheme: Mapping[str, int], heights: Mapping[str, int], target: str | None) -> None:
    for name, level in scheme.items():
        if name not in heights:
            raise ParameterError(f"a scheme names {name!r}, which is not published.{nearest(name, list(heights))}")
        if not 0 <= level <= heights[name]:
            raise ParameterError(
                f"a scheme has level {level} for {name!r}, whose hierarchy has levels 0 to {heights[name]}."
            )
        if name == target and level:
            raise ParameterError(f"a scheme generalizes {name!r}, the target of the classification; leave it out.")


def parameters_of(method: SafePub) -> dict[str, Any]:
    """The parameters of a method, for one that is made of it."""
    return {field.name: getattr(method, field.name) for field in fields(SafePub)}


def all_scores(of: Callable[[Node], Score], schemes: Sequence[Node], progress: Progress) -> list[Score]:
    """The score of each scheme."""
    scores = []
    for number, node in enumerate(schemes):
        if number % 64 == 0:
            progress("scoring schemes", number / len(schemes))
        scores.append(of(node))
    return scores
