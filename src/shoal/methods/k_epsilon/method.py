"""(k, ε)-anonymity: some quasi-identifiers generalized to k-anonymity, the numeric others perturbed class by class."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from shoal.criteria import Criterion
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.schema import Schema
from shoal.dp.accounting.budget_range import require_epsilon
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import Coins
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import InfeasibleError
from shoal.methods.base import Method, Mode, Publishes
from shoal.methods.full_domain import OLA, OptimalLattice
from shoal.methods.k_epsilon.bounds import ClassBounds
from shoal.methods.k_epsilon.confidence import confident, still_promised
from shoal.methods.k_epsilon.merging import merged, nothing_published
from shoal.methods.k_epsilon.perturbing import columns_as_published, columns_with_bounds
from shoal.methods.k_epsilon.records import View, let_through
from shoal.methods.k_epsilon.schema import require_columns, require_values
from shoal.methods.k_epsilon.settings import Several, require_settings
from shoal.parameters import Number, exact, read_parameters
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import PUBLIC, Basis, Guarantee
from shoal.risk import ClassRule

_ATTACKER = (
    "the attacker knows all quasi-identifiers of everybody, the perturbed ones exactly, and nothing else about them",
    "to the attacker every assignment of the records of a class to its persons is equally likely before looking",
    "one record for each person",
    "the width of the values of each class is taken from the data: the amount of noise tells it",
    "k-anonymity and this bound hold for this table alone: further releases about the same people add up",
)
_ATTRIBUTES = (
    "neighboring tables differ in the perturbed columns of one record and agree in all others",
    "columns that are not perturbed are protected by k-anonymity only",
    "one record for each person",
    f"domains, bounds and parameters {PUBLIC}",
    "nobody observes how long the computation takes",
)


@dataclass(frozen=True, kw_only=True)
class KEpsilon(Publishes):
    """Generalize most quasi-identifiers to k-anonymity; keep numeric ones fine, with noise scaled to their class.

    Rigorous (the default): the noise hides any value between public bounds of the class, or between bounds estimated
    privately. As published: between the least and the largest value of the class, which is not differential privacy
    (theory KE-1) but bounds how surely a record can be linked (KE-2). Published rows are sorted by what they show, so
    their order tells nothing about the original's: no shuffle is needed.

    Attributes:
        epsilon: ε: how well two values of a class can be told apart, all perturbed columns of a record together.
        perturbed: The ε-quasis: numeric quasi-identifiers that get noise instead of being generalized.
        anonymizer: Makes the other quasi-identifiers k-anonymous, with a k of 2 or more; it never sees the perturbed
            ones. Rigorous: without a time limit. Not `pais`, `nsvdist` or `nhaa`, which do not promise k-anonymity.
        mode: `rigorous`, whose promise is proved, or `as_published`, which follows the paper, for comparison with it.
        bounds: Rigorous: public bounds of perturbed columns by k-quasis, in a release file such as
            `[{ column = "height", from = 140, to = 187, where = { sex = "f" } }]`; `where` names values or groups of
            hierarchies. The declared domain where none is given.
        bounds_share: Rigorous: the share of ε for estimating tighter bounds of large classes; 0 for public bounds only.
        tail: Rigorous: the share of a class that may lie beyond each estimated bound.
        within_domain: Whether published numbers are moved back into the declared domain, which looks at nothing else;
            they are in rigorous mode if it is not given, and not as published.
        several: As published: how several perturbed columns share the budget.
        confidence: As published: leave out records for which fewer than k originals are within the confidence interval.
        class_rule: As published: when that leaves out a whole class.
        digits: As published: digits of published numbers below the step of the domain, 0 to 6; enough for ε if not
            given.

    Guarantee: rigorous: ε-DP for neighbors that differ in the perturbed columns of one record (attribute-level), and
        k-anonymity of the other quasi-identifiers. As published: no differential privacy; a link is right with
        probability at most e^{2ε} / (e^{2ε} + k − 1) for an attacker who knows all quasi-identifiers.
    Paper: (k, ε)-anonymity, Algorithm 1, §IV and §V; rigorous variants: theory KE-R1, KE-R2;
        `docs/proofs/k-epsilon.md`.
    """

    name: ClassVar[str] = "k-epsilon"
    clamps: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True
    reading: ClassVar[str] = (
        "Some numbers carry random noise, so that more of them may stand at the ends of what is possible, or beyond; "
        "other values may be coarser than in the original, and records that could not be protected are left out."
    )

    epsilon: Number
    perturbed: tuple[str, ...]
    anonymizer: Method = field(default_factory=OLA)
    mode: Mode = Mode.RIGOROUS
    bounds: tuple[ClassBounds, ...] = ()
    bounds_share: float = 0.0
    tail: float = 0.02
    within_domain: bool | None = None
    several: Several = Several.SPLIT
    confidence: float | None = None
    class_rule: ClassRule = ClassRule.FORMULA
    digits: int | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        require_epsilon(self.epsilon)
        require_settings(self)

    # What is promised: all public, all known before a row is read.

    @property
    def k(self) -> int:
        """The k of the k-anonymizer."""
        k: int = getattr(self.anonymizer, "k")  # noqa: B009  any method that has one, checked by `settings`
        return k

    @property
    def cost(self) -> PrivacyCost | None:
        """What a release costs; nothing that could be charged, as published."""
        if self.mode is Mode.AS_PUBLISHED:
            return None
        return PrivacyCost(exact(self.epsilon), neighbors=Neighbors.ATTRIBUTES, protected=frozenset(self.perturbed))

    def for_several(self, records: int) -> Self:
        """With an equal part of ε for each of so many records."""
        return replace(self, epsilon=exact(self.epsilon) / records)

    @property
    def covers(self) -> tuple[str, ...]:
        """The columns that differential privacy covers: no value of theirs may raise an error."""
        return () if self.mode is Mode.AS_PUBLISHED else self.perturbed

    @property
    def tosses_coins(self) -> bool:
        """There is noise in either mode."""
        return True

    def guarantees(self, outcome: Outcome | None = None) -> tuple[Guarantee, ...]:
        """What is promised, on what basis."""
        del outcome  # all of it follows from the parameters
        epsilon = exact(self.epsilon)
        if self.mode is Mode.AS_PUBLISHED:
            return (Guarantee(statements.k_epsilon_published(self.k, epsilon), Basis.PROVED, _ATTACKER),)
        statement = statements.k_epsilon_rigorous(self.k, epsilon, self.perturbed)
        return (Guarantee(statement, Basis.PROVED, _ATTRIBUTES, Neighbors.ATTRIBUTES, cost=self.cost),)

    def facts(self) -> dict[str, Any]:
        """How surely a record can be linked, at most, by somebody who knows all quasi-identifiers (theory KE-2)."""
        epsilon = exact(self.epsilon)
        return {
            "linking posterior from one row": float(statements.linking_posterior(self.k, epsilon / 2)),
            "linking posterior from all rows of a class": float(statements.linking_posterior(self.k, epsilon)),
        }

    @property
    def stays_within_domain(self) -> bool:
        """Whether published numbers are moved back into the declared domain."""
        return self.mode is Mode.RIGOROUS if self.within_domain is None else self.within_domain

    # The table

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """What the k-anonymizer needs of the other columns, and the perturbed ones."""
        others = require_columns(self, schema)
        counted = {*self.anonymizer.counted(others), *self.perturbed}
        return tuple(column.name for column in schema if column.name in counted)

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """What the k-anonymizer promises about the other quasi-identifiers."""
        return self.anonymizer.promises(table)

    @property
    def _unhurried(self) -> Method:
        """The k-anonymizer; in rigorous mode without a clock: nothing that it decides hangs on how long it took."""
        if isinstance(self.anonymizer, OptimalLattice) and self.mode is Mode.RIGOROUS:
            return replace(self.anonymizer, time_limit=None)
        return self.anonymizer

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Algorithm 1: k-anonymize the k-quasis, then add noise to the ε-quasis of every class."""
        require_values(self, table)
        view = View.without(table, self.perturbed)
        decided = self._unhurried.run(view.table, ledger=ledger, coins=coins, progress=progress)  # line 5: the k-quasis
        if not decided.published.kept:
            raise InfeasibleError(
                "the k-anonymizer leaves out every record, so there is nothing to add noise to, and nothing was spent; "
                "take a smaller k, or let it leave out fewer."
            )
        if self.cost is not None:
            ledger.charge(self.cost, "bounds and noise in every class" if self.bounds_share else "noise in every class")
        progress("adding noise", 0.0)
        records = let_through(table, view, decided, coins)
        if self.mode is Mode.AS_PUBLISHED:
            columns = columns_as_published(self, table, records)
        else:
            columns = columns_with_bounds(self, table, decided, records, coins)
        units = [column.drawn(coins, within_domain=self.stays_within_domain) for column in columns]  # lines 6, 7
        stays = confident(self, columns, units)
        outcome = merged(self, table, decided, records.kept(stays), columns, [of[stays] for of in units])
        if self.confidence is not None and not (keeps := still_promised(self, outcome)).all():
            stays[stays] = keeps
            outcome = merged(self, table, decided, records.kept(stays), columns, [of[stays] for of in units])
        losses: dict[str, float] = {}
        for column, noisy in zip(columns, units, strict=True):
            losses |= column.losses(noisy, stays)
        if self.confidence is not None:
            losses["left out for confidence"] = 1 - float(stays.mean())
        return replace(outcome, losses=losses)

    def nothing(self, table: EncodedTable) -> Outcome:
        """No records: only a run that fails publishes nothing, since classes follow from columns without noise."""
        return nothing_published(self, table)

    @property
    def needs(self) -> str:
        """What it takes for records to be published."""
        return f"It takes classes of {self.k:,} records."
