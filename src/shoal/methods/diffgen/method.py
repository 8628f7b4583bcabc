"""DiffGen: generalized records with noisy counts, good for classification, with ε-differential privacy."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from shoal.criteria import Criterion
from shoal.data.outcome import Outcome
from shoal.data.schema import Schema
from shoal.dp.accounting.budget_range import require_epsilon
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.bulk import SMALLEST_EXPONENT
from shoal.dp.coins.coins import Coins
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.best_of_runs import BestOfRuns
from shoal.dp.mechanisms.cells import noisy_cells
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.dp.mechanisms.rounded_laplace import RoundedLaplace
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.errors import InfeasibleError, ParameterError, SchemaError, SmallBudgetWarning
from shoal.methods.base import Mode, Publishes
from shoal.methods.diffgen.counts import agreement, balanced
from shoal.methods.diffgen.division import LEAST_FOR_TABLES
from shoal.methods.diffgen.growth import PRICE, Room, grow_as_published, grow_by_purity, grow_by_value
from shoal.methods.diffgen.options import Choices, Show, Utility
from shoal.methods.diffgen.outcomes import of_groups, of_nobody, of_values
from shoal.methods.diffgen.room import has_room, recommended_specializations, require_room
from shoal.methods.diffgen.schema import counted_columns, require_few_classes, require_specializable
from shoal.methods.diffgen.shares import MOST_EACH, in_persons, in_shares, units_each
from shoal.methods.diffgen.values import measured
from shoal.methods.marginals.advice import expected_worth, is_useless
from shoal.methods.marginals.budget import TREE_SHARE
from shoal.methods.marginals.purse import PurePurse
from shoal.parameters import Count, Number, exact, read_parameters
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import PUBLIC, Basis, Guarantee
from shoal.search.top_down.cut import GrowingCut, class_codes, complete
from shoal.search.top_down.value_scores import ValueScores, information_gain, largest_classes

if TYPE_CHECKING:
    from shoal.arrays import Keys, Sizes
    from shoal.data.encoded import EncodedTable

_RECORDS_SHARE = Fraction(1, 100)
"""The share of ε that counts the records."""
_SCORE_SHARE = Fraction(1, 10)
"""The share of a run's ε that says how good the run was, where the best of several is published."""
_GRID = Fraction(1, 1 << 20)
_ROUNDING = Fraction(1, 10**9)
"""How far a computed information gain may be from the exact one."""


@dataclass(frozen=True, kw_only=True)
class DiffGen(Publishes):
    """Generalize step by step what helps to predict a class, and publish the counts of all groups with noise.

    Rigorous (the default): one private choice per specialization, by how pure the groups of the whole table become. As
    published: the paper's Algorithm 1 with its budget and its noise, drawn exactly.

    Attributes:
        epsilon: The whole budget ε: the smaller it is, the less one record can change what is published.
        target: The class: a column of named values; it is published as it is.
        specializations: How often to specialize at most, h; found from the number of records if not given. Where values
            are shown, no more than four.
        utility: What to choose for; purity, or Max when as published.
        mode: `rigorous`, whose promise is proved, or `as_published`, which follows the paper, for comparison with it.
        choices: Joint, or separate as in the paper.
        show: Records of `values` for which every column is counted by class too, or of generalized `groups` as in the
            paper; values where that can be.
        search_share: The share of what groups get of ε for choosing specializations, when choices are joint.
        expected_records: About how many records the table has, if that is public; for the default of h only.
        threshold: Groups with a noisy count below are left out.
        tune: Numbers of specializations to try; the best of several runs is published, and all are paid for.

    Guarantee: ε-DP under add/remove-one-record, if domains, taxonomies and parameters are public; where the table tells
        persons apart, under add/remove of one person with all their records.
    Paper: DiffGen §4, Algorithm 1; rigorous variant: theory 3d and `docs/proofs/diffgen.md`.
    """

    name: ClassVar[str] = "diffgen"
    clamps: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True
    epsilon: Number
    target: str
    specializations: Count | None = None
    utility: Utility | None = None
    mode: Mode = Mode.RIGOROUS
    choices: Choices | None = None
    show: Show | None = None
    search_share: float = 0.7
    expected_records: Count | None = None
    threshold: Count = 1
    tune: tuple[Count, ...] = ()

    def __post_init__(self) -> None:
        read_parameters(self)
        require_epsilon(self.epsilon)
        if not 0 < self.search_share < 1 - _RECORDS_SHARE:
            raise ParameterError(f"search_share is a share of epsilon between 0 and 0.99; got {self.search_share!r}.")
        if self.mode is Mode.AS_PUBLISHED and self.choices is Choices.JOINT:
            raise ParameterError("the published method chooses separately; joint choices are for the rigorous mode.")
        if self.scored_by is Utility.PURITY and not self.is_joint:
            raise ParameterError("purity needs joint choices; with separate choices the utility is max or info-gain.")
        if self.tune and self.specializations is not None:
            raise ParameterError("give specializations, or numbers of them to tune, but not both.")
        if not self.is_joint and not self.tune and self.specializations is None and self.expected_records is None:
            raise ParameterError(
                "separate choices need the number of specializations, or expected_records to recommend it from."
            )

        if self.show is Show.VALUES and not self._can_show_values:
            raise ParameterError(
                "values are shown where choices are joint and by purity, without tune or a threshold; leave these out, "
                'or write show = "groups".'
            )

    # Parameters that follow from others: all public, all known before a row is read.

    @property
    def is_joint(self) -> bool:
        """Whether one choice decides on attribute, value and split point."""
        return self.mode is Mode.RIGOROUS and self.choices is not Choices.SEPARATE

    @property
    def scored_by(self) -> Utility:
        """What specializations are chosen for."""
        if self.utility is not None:
            return self.utility
        return Utility.PURITY if self.is_joint else Utility.MAX

    @property
    def shows(self) -> Show:
        """What published records are made of."""
        if self.show is not None:
            return self.show
        return Show.VALUES if self._can_show_values else Show.GROUPS

    @property
    def reading(self) -> str:
        """What a recipient has to know to read the records."""
        if self.shows is Show.VALUES:
            return (
                "The records are made up, and none is that of a person: they were drawn so that they fit counts of "
                "each column by class, and of some groups, with random noise; what is not about the class may be wrong."
            )
        return (
            "Records were made by counts that carry random noise, and none is that of a person: values may be coarser "
            "than in the original, some are more or less frequent than in truth, and some records have nobody like "
            "them."
        )

    @property
    def _can_show_values(self) -> bool:
        return self.scored_by is Utility.PURITY and self.is_joint and not self.tune and self.threshold == 1

    @property
    def cost(self) -> PrivacyCost:
        """What a release costs."""
        return PrivacyCost(exact(self.epsilon))

    def for_several(self, records: int) -> Self:
        """Records of a person are shares of the person, so that the noise for one record hides all; of groups only."""
        if not self.is_joint or self.scored_by is Utility.INFO_GAIN:
            raise SchemaError(
                f"{self.name} counts shares of persons where {records:,} records of each take part, and knows what one "
                "person moves for joint choices by purity or max only; leave out utility, choices and mode, or write "
                "max_records = 1 in [data]."
            )
        if records > MOST_EACH:
            raise SchemaError(
                f"{self.name} counts shares of persons with at most {MOST_EACH} records each; got max_records = "
                f"{records:,}. Write one from 1 to {MOST_EACH} in [data]: a person counts once, however many they have."
            )
        if self.show is Show.VALUES:
            raise SchemaError(
                f"{self.name} shows values where one record of each person takes part, and {records:,} do here; leave "
                'out show = "values", and groups are published, or write max_records = 1 in [data].'
            )
        return replace(self, show=Show.GROUPS)

    @cached_property
    def _tuning(self) -> BestOfRuns:
        return BestOfRuns(epsilon=exact(self.epsilon))

    @property
    def _for_a_run(self) -> Fraction:
        """What one release may spend: of several that are compared, each has to pay for its score too."""
        return self._tuning.each * (1 - _SCORE_SHARE) if self.tune else exact(self.epsilon)

    @staticmethod
    def recommended_specializations(epsilon: Number, records: int) -> int:
        """How often to specialize, from what is public: √(ε n / 300), between 1 and 20."""
        return recommended_specializations(exact(epsilon, "epsilon"), records)

    def steps_for(self, records: int) -> int:
        """How often a table of so many records is specialized at most; the most of those to be tried."""
        if self.tune:
            return max(self.tune)
        return self.specializations or recommended_specializations(self._for_a_run, self.expected_records or records)

    @property
    def least_for_counts(self) -> Fraction:
        """What of ε is left for the counts of groups at least; more where fewer specializations are chosen."""
        return self._for_counts(self._for_a_run)

    @property
    def for_the_total(self) -> Fraction:
        """What of ε counts the records, where choices are joint."""
        return self._for_a_run * _RECORDS_SHARE

    # The table

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """All published columns; their domains must be declared, and the target must be one of named values."""
        return counted_columns(schema, self.target)

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """Nothing that could be checked on a release: noise shows in no single table."""
        del table
        return ()

    def guarantees(self, outcome: Outcome | None = None) -> tuple[Guarantee, ...]:
        """What is promised, on what basis."""
        del outcome  # all of it follows from the parameters
        statement = statements.diffgen(self.cost.epsilon)
        return (Guarantee(statement, Basis.PROVED, _ASSUMPTIONS, Neighbors.ADD_REMOVE, cost=self.cost),)

    def facts(self) -> dict[str, Any]:
        """What a reader of the certificate may know beside the parameters."""
        made = (
            {"records": "made up"}
            if self.shows is Show.VALUES
            else {"scale of the noise on counts, at most": float(1 / self._noise(self.least_for_counts).exponent)}
        )
        return {
            "utility": self.scored_by.value,
            "choices": (Choices.JOINT if self.is_joint else Choices.SEPARATE).value,
            **made,
            "left out": "records without a class, or with a value missing where none may be",
        }

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Grow the cut, then publish every group with a noisy count.

        `table` must have every column as a quasi-identifier: `table.all_quasi_identifiers()`.
        """
        predictors = [a.name for a in table.attributes if a.name != self.target]
        require_specializable(table, predictors, self.target)
        units = units_each(table)
        self._require_drawable(table, units)
        is_of_values = self.shows is Show.VALUES and units == 1
        if is_of_values:
            require_few_classes(table, predictors, self.target)
            self._warn_of_little(len(table.attributes))
        if ledger.remaining is not None:
            Ledger(ledger.remaining).charge(self.cost, "diffgen")  # refused here, a release leaves no trace
            ledger.open()
        if is_of_values:
            return self._values(table, predictors, coins, ledger, progress)
        records = in_shares(complete(table, predictors, self.target), units)
        if self.tune:
            release = self._tuning.choose(
                lambda coins: self._scored(records, units, coins, progress), coins, ledger, "best of several runs"
            )
        else:
            release = self._release(records, units, self._for_a_run, self.specializations, coins, ledger, progress)
        cut, keys, counts = release
        return of_groups(table.of_rows(), self.target, cut, keys, counts) if len(keys) else self.nothing(table)

    def _warn_of_little(self, columns: int) -> None:
        """Say that nothing of use can be expected, if public numbers say so."""
        epsilon = float(exact(self.epsilon))
        if self.expected_records is not None and is_useless(epsilon, self.expected_records, columns):
            worth = expected_worth(epsilon, self.expected_records, columns)
            warnings.warn(f"{self.name}: {worth}", SmallBudgetWarning, stacklevel=2)

    def precision(self, columns: int) -> float:
        """The e of which tables of single columns get noise of scale 1/e at most, on average over so many columns."""
        return float(exact(self.epsilon) * (1 - TREE_SHARE) * LEAST_FOR_TABLES) / max(columns - 1, 1)

    def _values(
        self, table: EncodedTable, predictors: list[str], coins: Coins, ledger: Ledger, progress: Progress
    ) -> Outcome:
        """Count single columns by class, then groups, and publish records that fit both."""
        seen = measured(
            complete(table, predictors, self.target),
            predictors,
            self.target,
            PurePurse(exact(self.epsilon), ledger),
            exact(self.search_share),
            self.specializations,
            coins,
            progress,
        )
        return self.nothing(table) if round(seen.believed.records) < 1 else of_values(table, self.target, seen)

    def _scored(
        self, records: EncodedTable, units: int, coins: Coins, progress: Progress
    ) -> tuple[tuple[GrowingCut, Keys, Sizes], int]:
        """A run with a number of specializations drawn at random, and how many records it would classify rightly."""
        each, spent = self._tuning.each, Ledger()
        steps = self.tune[coins.randbelow(len(self.tune))]
        cut, keys, counts = self._release(records, units, self._for_a_run, steps, coins, spent, progress)
        score = DiscreteLaplace(epsilon=each * _SCORE_SHARE, sensitivity=units)
        right = np.array([agreement(cut, keys, counts)], dtype=np.int64)
        noisy = int(score.add(right, coins, spent, "how many records a run classifies rightly")[0])
        assert spent.spent.epsilon == each
        return (cut, keys, counts), noisy

    def _release(
        self,
        records: EncodedTable,
        units: int,
        epsilon: Fraction,
        steps: int | None,
        coins: Coins,
        ledger: Ledger,
        progress: Progress,
    ) -> tuple[GrowingCut, Keys, Sizes]:
        """Algorithm 1 in one of its forms: a cut, and its published cells with their counts.

        A person counts so many units, where `records` are counted in shares of persons.
        """
        cut = GrowingCut(records, [a.name for a in records.attributes if a.name != self.target], self.target)
        if not self.is_joint:
            if steps is None:
                steps = recommended_specializations(epsilon, self.expected_records or 1)
            self._grow_separately(cut, epsilon / 2, steps, coins, ledger, progress)
            return (cut, *self._count(cut, epsilon / 2, units, coins, ledger))
        total_noise = DiscreteLaplace(epsilon=epsilon * _RECORDS_SHARE, sensitivity=units)
        records_here = np.array([records.counts.kept], dtype=np.int64)
        total = int(total_noise.add(records_here, coins, ledger, "count the records")[0])
        if steps is None:
            steps = recommended_specializations(epsilon, self.expected_records or max(total // units, 1))
        spent = total_noise.cost.epsilon + self._grow_jointly(cut, units, epsilon, steps, coins, ledger, progress)
        keys, counts = self._count(cut, epsilon - spent, units, coins, ledger)
        fewer = in_persons(balanced(counts, total), units)
        return cut, keys[fewer > 0], fewer[fewer > 0]

    def _grow_jointly(
        self,
        cut: GrowingCut,
        units: int,
        epsilon: Fraction,
        steps: int,
        coins: Coins,
        ledger: Ledger,
        progress: Progress,
    ) -> Fraction:
        each = epsilon * exact(self.search_share) / steps
        room = self._room(self._for_counts(epsilon), units)
        if self.scored_by is Utility.PURITY:
            price = PRICE / self._for_counts(epsilon)
            return grow_by_purity(cut, steps, each, price, room, coins, ledger, progress, units=units)
        if self.scored_by is Utility.MAX:
            choice = ExponentialMechanism(epsilon=each, score_range=Fraction(units))  # adds 0 to 1 person: theory 3a
            return grow_by_value(cut, ValueScores(cut, largest_classes), steps, choice, coins, ledger, progress, room)
        choice = ExponentialMechanism(epsilon=each, score_range=2 + 4 * _ROUNDING, grid=_GRID)  # DG-1
        return grow_by_value(cut, ValueScores(cut, information_gain), steps, choice, coins, ledger, progress, room)

    def _grow_separately(
        self, cut: GrowingCut, epsilon: Fraction, steps: int, coins: Coins, ledger: Ledger, progress: Progress
    ) -> None:
        """Lines 3 to 11, for the published price of (|A_n| + 2h) ε'."""
        ordered = sum(axis.is_ordered for axis in cut.axes)
        each = epsilon / (ordered + 2 * steps)  # line 3
        ledger.charge(PrivacyCost(epsilon), "choose specializations and split points")
        if self.scored_by is Utility.MAX:
            choice = ExponentialMechanism(epsilon=each, score_range=Fraction(2))  # exponent ε' / (2 Δ), Δ = 1
            scores = ValueScores(cut, largest_classes)
        else:
            published = Fraction(float(np.nextafter(np.log2(cut.classes), np.inf)))  # Δ = log2 of the classes
            choice = ExponentialMechanism(epsilon=each, score_range=2 * published + 4 * _ROUNDING, grid=_GRID)
            scores = ValueScores(cut, information_gain)
        grow_as_published(cut, scores, steps, choice, coins, progress, self._room(epsilon, 1))

    def _count(
        self, cut: GrowingCut, epsilon: Fraction, units: int, coins: Coins, ledger: Ledger
    ) -> tuple[Keys, Sizes]:
        """Line 12: noise on every cell of the product of the cuts and the classes, empty ones too (DG-2)."""
        noise, least = self._noise(epsilon, units), self.threshold * units
        assert has_room(cut.cells, noise, least, units), "nothing grows beyond that"
        keys, sizes = cut.cell_keys()
        return noisy_cells(keys, sizes, cut.cells, noise, coins, ledger, "noise on every group", least=least)

    def _for_counts(self, epsilon: Fraction) -> Fraction:
        """What at least is left for the counts."""
        return epsilon * (1 - _RECORDS_SHARE - exact(self.search_share)) if self.is_joint else epsilon / 2

    def _room(self, epsilon: Fraction, units: int) -> Room:
        """Whether so many groups can be published, if this much at least is left for the counts."""
        noise = self._noise(epsilon, units)
        return lambda cells: has_room(cells, noise, self.threshold * units, units)

    def _require_drawable(self, table: EncodedTable, units: int) -> None:
        """Refuse noise that does not fit 64 bits, or so much of it that not even one group could be published."""
        counts = self._noise(self._for_counts(self._for_a_run), units)
        if min(counts.exponent, self._for_a_run * _RECORDS_SHARE / units) < SMALLEST_EXPONENT:
            raise InfeasibleError(
                f"epsilon = {float(exact(self.epsilon)):g} leaves too little for counts: their noise would be wider "
                "than 2^40 records, and nothing was spent; use a larger epsilon or a smaller search_share."
            )
        in_persons_alone = self._noise(self._for_counts(self._for_a_run))
        require_room(len(class_codes(table[self.target])), in_persons_alone, self.threshold)

    def _noise(self, epsilon: Fraction, units: int = 1) -> DiscreteLaplace | RoundedLaplace:
        if self.mode is Mode.AS_PUBLISHED:
            return RoundedLaplace(epsilon=epsilon, sensitivity=1)
        return DiscreteLaplace(epsilon=epsilon, sensitivity=units)

    def nothing(self, table: EncodedTable) -> Outcome:
        """No group reached the threshold: no records, and a cut that was never grown, whatever was chosen."""
        return replace(of_nobody(table, self.target), is_made_up=self.shows is Show.VALUES)

    @property
    def needs(self) -> str:
        """What it takes for records to be published."""
        if self.shows is Show.VALUES:
            return "It takes a noisy number of records above zero. Use a larger epsilon, or a larger table."
        return (
            f"It takes groups whose noisy counts reach {self.threshold:,}. Use a larger epsilon, a larger table or a "
            "lower threshold."
        )


_ASSUMPTIONS = (
    "one record for each person",
    f"domains, taxonomies, classes and parameters {PUBLIC}",
    "nobody observes how long the computation takes",
)
