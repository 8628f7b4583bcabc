"""(k, ε)-anonymity: some quasi-identifiers generalized to k-anonymity, the numeric others perturbed class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Keys, Mask, Nodes, Sizes
from shoal.criteria import Criterion, violations
from shoal.data.classes import Classes
from shoal.data.counts import Counts
from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.recoding import FullDomain
from shoal.data.schema import Column, Role, Schema
from shoal.data.shown import Numbers, Shown
from shoal.dp.accounting.budget_range import require_epsilon
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import Coins
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import DataError, InfeasibleError, ParameterError, SchemaError, listed
from shoal.methods.base import Method, Mode, Publishes
from shoal.methods.full_domain.ola import OLA
from shoal.methods.full_domain.request import FullDomainRequest
from shoal.methods.k_epsilon.bounds import ClassBounds, estimated_bounds, public_bounds, widest_bounds, worth_estimating
from shoal.methods.k_epsilon.columns import PerturbedColumn, classed, not_numeric, numeric
from shoal.methods.k_epsilon.noise import ClassNoise, extra_digits, vector_diameters
from shoal.methods.k_epsilon.records import Records, View, let_through
from shoal.parameters import Number, exact, read_parameters
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import Basis, Guarantee
from shoal.risk import ClassedNumbers, ClassRule, confidence_radius, confident_suppression, in_reach

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
    "domains, bounds and parameters are public and were not taken from the data",
    "nobody observes how long the computation takes",
)


class Several(Enum):
    """How several perturbed columns share the budget of a record (theory KE-3)."""

    SPLIT = "split"
    """Each gets an equal part: d columns, scale d · diam / ε."""
    VECTOR = "vector"
    """By the L1 diameter of the class, each column in units of its own: scale D1 · diam / ε, D1 <= d."""


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
            ones. Not `pais`, `nsvdist` or `nhaa`, which do not promise k-anonymity.
        mode: `rigorous`, whose promise is proved, or `as_published`, which follows the paper, for comparison with it.
        bounds: Rigorous: public bounds of perturbed columns by k-quasis, in a release file such as
            `[{ column = "height", from = 140, to = 187, where = { sex = "f" } }]`; `where` names values or groups of
            hierarchies. The declared domain where none is given.
        bounds_share: Rigorous: the share of ε for estimating tighter bounds of large classes; 0 for public bounds only.
        tail: Rigorous: the share of a class that may lie beyond each estimated bound.
        within_domain: Whether published numbers are moved back into the declared domain.
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
    reading: ClassVar[str] = (
        "Some numbers carry random noise and may lie outside of what is possible; other values may be coarser than in "
        "the original, and records that could not be protected are left out."
    )

    epsilon: Number
    perturbed: tuple[str, ...]
    anonymizer: Method = field(default_factory=OLA)
    mode: Mode = Mode.RIGOROUS
    bounds: tuple[ClassBounds, ...] = ()
    bounds_share: float = 0.0
    tail: float = 0.02
    within_domain: bool = False
    several: Several = Several.SPLIT
    confidence: float | None = None
    class_rule: ClassRule = ClassRule.FORMULA
    digits: int | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        require_epsilon(self.epsilon)
        if not self.perturbed:
            raise ParameterError(
                "perturbed is a list of the columns that get noise, one or more, such as ('height',); got "
                f"{self.perturbed!r}."
            )
        twice = [name for name in self.perturbed if list(self.perturbed).count(name) > 1]
        if twice:
            raise ParameterError(f"perturbed names {listed(set(twice))} twice; every column may stand in it once.")
        _check_anonymizer(self.anonymizer)
        for name in ("bounds_share", "tail"):
            if not 0 <= getattr(self, name) < (1 if name == "bounds_share" else 0.5):
                raise ParameterError(
                    f"{name} is a share of {'epsilon, below 1' if name == 'bounds_share' else 'a class, below 0.5'}; "
                    f"got {getattr(self, name)!r}."
                )
        if self.confidence is not None and not 0 < self.confidence < 1:
            raise ParameterError(f"confidence is a probability between 0 and 1; got {self.confidence!r}.")
        if self.digits is not None and not 0 <= self.digits <= 6:
            raise ParameterError(f"digits is a whole number from 0 to 6; got {self.digits!r}.")
        self._check_mode()

    def _check_mode(self) -> None:
        """What belongs to the other mode is refused rather than ignored."""
        published = {
            "confidence": self.confidence is not None,
            "several": self.several is not Several.SPLIT,
            "digits": self.digits is not None,
        }
        rigorous = {"bounds": bool(self.bounds), "bounds_share": self.bounds_share > 0}
        reasons = {
            "confidence": "it looks at the true values once more, which no budget pays for",
            "several": "public bounds are a box, whose diameter leaves nothing to save",
            "digits": "the noise is drawn on the declared grid",
            "bounds": "the published method takes the bounds of a class from its values",
            "bounds_share": "the published method takes the bounds of a class from its values",
        }
        is_published = self.mode is Mode.AS_PUBLISHED
        stray = [name for name, given in (rigorous if is_published else published).items() if given]
        if stray:
            other = Mode.RIGOROUS if is_published else Mode.AS_PUBLISHED
            raise ParameterError(f"{stray[0]} is for mode {other.value!r} only: {reasons[stray[0]]}.")
        unknown = [rule.column for rule in self.bounds if rule.column not in self.perturbed]
        if unknown:
            raise ParameterError(f"bounds are given for {listed(unknown)}, which is not in perturbed.")

    # What is promised: all public, all known before a row is read.

    @property
    def k(self) -> int:
        """The k of the k-anonymizer."""
        k: int = getattr(self.anonymizer, "k")  # noqa: B009  any method that has one, checked above
        return k

    @property
    def cost(self) -> PrivacyCost | None:
        """What a release costs; nothing that could be charged, as published."""
        if self.mode is Mode.AS_PUBLISHED:
            return None
        return PrivacyCost(exact(self.epsilon), neighbors=Neighbors.ATTRIBUTES, protected=frozenset(self.perturbed))

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
        said = statements.k_epsilon_rigorous(self.k, epsilon, self.perturbed)
        return (Guarantee(said, Basis.PROVED, _ATTRIBUTES, Neighbors.ATTRIBUTES, cost=self.cost),)

    def facts(self) -> dict[str, Any]:
        """How surely a record can be linked, at most, by somebody who knows all quasi-identifiers (theory KE-2)."""
        epsilon = exact(self.epsilon)
        return {
            "linking posterior from one row": float(statements.linking_posterior(self.k, epsilon / 2)),
            "linking posterior from all rows of a class": float(statements.linking_posterior(self.k, epsilon)),
        }

    # The table

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """What the k-anonymizer needs of the other columns, and the perturbed ones."""
        for name in self.perturbed:
            self._check_column(schema[name])
        others = replace(schema, columns=tuple(c for c in schema if c.name not in self.perturbed))
        if not others.names(Role.QUASI_IDENTIFIER):
            raise SchemaError(
                f"every quasi-identifier is in perturbed ({listed(self.perturbed)}), so there are no classes; leave at "
                "least one for the k-anonymizer."
            )
        for rule in self.bounds:
            for name in rule.where:
                if name in self.perturbed or schema[name].role is not Role.QUASI_IDENTIFIER:
                    raise SchemaError(
                        f"bounds differ by {name!r}, which is not a quasi-identifier that the k-anonymizer publishes; "
                        f"those are {listed(others.names(Role.QUASI_IDENTIFIER), 12)}."
                    )
        counted = {*self.anonymizer.counted(others), *self.perturbed}
        return tuple(column.name for column in schema if column.name in counted)

    def _check_column(self, column: Column) -> None:
        if column.role is not Role.QUASI_IDENTIFIER:
            raise SchemaError(
                f"column {column.name!r} is in perturbed and has the role {column.role.value!r}; a column has one part "
                "to play: give it the role 'quasi-identifier', or take it out of perturbed."
            )
        domain = column.domain
        if domain is None and column.hierarchy is not None and not column.observed:
            domain = column.hierarchy.leaves()
        if domain is not None and not isinstance(domain, Grid):
            raise not_numeric(column.name)
        if (self.mode is Mode.RIGOROUS or self.within_domain) and not column.is_declared:
            raise SchemaError(
                f"the domain of {column.name!r} is not declared, and taking it from the data is not private; declare "
                "it with from, to and step, and remove 'observed', or confirm what was observed with `shoal declare`."
            )

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """What the k-anonymizer promises about the other quasi-identifiers."""
        return self.anonymizer.promises(table)

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Algorithm 1: k-anonymize the k-quasis, then add noise to the ε-quasis of every class."""
        self._check(table)
        view = View.without(table, self.perturbed)
        decided = self.anonymizer.run(view.table, ledger=ledger, coins=coins, progress=progress)  # line 5: the k-quasis
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
            columns = self._columns_as_published(table, records)
        else:
            columns = self._columns_with_bounds(table, decided, records, coins)
        units = [column.drawn(coins, within_domain=self.within_domain) for column in columns]  # lines 6, 7
        stays = self._confident(columns, units)
        outcome = self._merged(table, decided, records.kept(stays), columns, [of[stays] for of in units])
        if self.confidence is not None:
            outcome, stays = self._still_kept(outcome, table, decided, records, columns, units, stays)
        losses: dict[str, float] = {}
        for column, noisy in zip(columns, units, strict=True):
            losses |= column.losses(noisy, stays)
        if self.confidence is not None:
            losses["left out for confidence"] = 1 - float(stays.mean())
        return replace(outcome, losses=losses)

    def _check(self, table: EncodedTable) -> None:
        for name in self.perturbed:
            missing = numeric(table, name).missing
            if self.mode is Mode.AS_PUBLISHED and missing is not None and table.marginal(name)[missing]:
                raise DataError(
                    f"column {name!r} is in perturbed and has missing values, which no noise can hide; fill them in, "
                    "or leave these records out."
                )

        if self.mode is Mode.RIGOROUS:
            for name in self.perturbed:
                widest = widest_bounds(table, name, self.bounds)
                ClassNoise(self._for_noise, np.array([widest]), [Fraction(len(self.perturbed))]).require_drawable()

    @property
    def _for_noise(self) -> Fraction:
        """What is left of ε when bounds have been estimated."""
        return exact(self.epsilon) * (1 - exact(self.bounds_share))

    def _columns_as_published(self, table: EncodedTable, records: Records) -> list[PerturbedColumn]:
        """Noise by the diameter of each class (Eq. 3)."""
        values = [classed(table, name, records) for name in self.perturbed]
        shares = [Fraction(len(values))] * records.groups
        if self.several is Several.VECTOR:
            shares = vector_diameters(values)
        epsilon = exact(self.epsilon)
        digits = extra_digits(epsilon / len(values)) if self.digits is None else self.digits
        return [
            PerturbedColumn(
                name,
                numeric(table, name),
                of,
                ClassNoise(epsilon, of.diameters, shares, 10**digits),
                digits=digits,
            )
            for name, of in zip(self.perturbed, values, strict=True)
        ]

    def _columns_with_bounds(
        self, table: EncodedTable, decided: Outcome, records: Records, coins: Coins
    ) -> list[PerturbedColumn]:
        """Noise by the width of public or estimated bounds; the caller has paid (KE-R1, KE-R2).

        A class too small for an estimate spends all of ε on noise. How large a class is tells nothing about the
        perturbed columns.
        """
        columns, several = [], len(self.perturbed)
        for_noise = self._for_noise
        for_bounds = exact(self.epsilon) - for_noise
        for name in self.perturbed:
            values = classed(table, name, records)
            lows, highs = public_bounds(table, name, self.bounds, decided, records)
            is_large = np.zeros(records.groups, dtype=np.bool_)
            if for_bounds:
                each = for_bounds / (2 * several)
                is_large = worth_estimating(values.sizes, highs - lows, each)
                lows, highs = estimated_bounds(
                    values, lows, highs, epsilon=each, tail=exact(self.tail), classes=is_large, coins=coins
                )
            shares = [several * (Fraction(1) if large else for_noise / exact(self.epsilon)) for large in is_large]
            noise = ClassNoise(for_noise, highs - lows, shares)
            columns.append(PerturbedColumn(name, numeric(table, name), values, noise, lows, highs))
        return columns

    def _confident(self, columns: Sequence[PerturbedColumn], units: Sequence[Sizes]) -> Mask:
        """Which records stay by c-confident k-anonymity (§V-C); each of d intervals has confidence c^(1/d)."""
        if self.confidence is None:
            return np.ones(len(units[0]), dtype=np.bool_)
        fine, each = columns[0].noise.fine, self.confidence ** (1 / len(columns))
        originals = [ClassedNumbers(c.values.numbers * fine, c.values.labels, c.values.groups) for c in columns]
        radii = [confidence_radius(column.noise.scales * fine, each) for column in columns]
        reached = in_reach(originals, units, radii)
        return ~confident_suppression(reached, originals[0], self.k, self.class_rule)

    def _still_kept(
        self,
        outcome: Outcome,
        table: EncodedTable,
        decided: Outcome,
        records: Records,
        columns: Sequence[PerturbedColumn],
        units: Sequence[Sizes],
        stays: Mask,
    ) -> tuple[Outcome, Mask]:
        """Leave out classes that lost a promise about sensitive values together with the records they lost."""
        quasi = [attribute.name for attribute in outcome.table.quasi_identifiers]
        keys, domain = outcome.published.group(quasi)

        def shown(attribute: int, rows: Keys) -> Nodes:
            """Published codes are not nodes, but tell classes apart in an order of their own."""
            return outcome.published.column(quasi[attribute])[rows].astype(np.int32)

        published = EncodedTable(outcome.table.attributes, outcome.published)
        classes = Classes(published, keys, domain, shown, source=outcome.table)
        broken = violations(self.promises(outcome.table), classes)
        if not broken.any():
            return outcome, stays
        assert outcome.sources is not None
        stays = stays.copy()
        stays[stays] = ~broken[classes.labels][outcome.sources.label]
        return self._merged(table, decided, records.kept(stays), columns, [of[stays] for of in units]), stays

    def _merged(
        self,
        table: EncodedTable,
        decided: Outcome,
        records: Records,
        columns: Sequence[PerturbedColumn],
        units: Sequence[Sizes],
    ) -> Outcome:
        """Line 9: k-anonymous and noisy columns side by side. Line 10 needs nothing: counts have no order."""
        if not len(records):
            raise InfeasibleError(
                f"no record is left at confidence {self.confidence}; take a smaller k, a smaller epsilon or a larger "
                "confidence."
            )
        shown: dict[str, Shown] = dict(decided.shown)
        recoded = {name: (codes, len(decided.shown[name])) for name, codes in records.codes.items()}
        for column, noisy in zip(columns, units, strict=True):
            shown[column.name], codes = column.shown(noisy)
            recoded[column.name] = codes, len(shown[column.name])
        one_by_one = Partition(records.source, np.arange(len(records)), np.ones(len(records), dtype=np.int64))
        published, sources = one_by_one.published(table, recoded, suppressed=table.total - len(records))
        attributes = tuple(
            replace(attribute, role=Role.PERTURBED) if attribute.name in self.perturbed else attribute
            for attribute in table.attributes
        )
        return Outcome(
            table=replace(table, attributes=attributes),
            published=published,
            shown=shown,
            recoding=decided.recoding,
            classes=decided.classes,
            suppressed=decided.suppressed,
            sources=sources,
            search=decided.search,
        )

    def nothing(self, table: EncodedTable) -> Outcome:
        """No records: only a run that fails publishes nothing, since classes follow from columns without noise."""
        attributes = tuple(
            replace(attribute, role=Role.PERTURBED) if attribute.name in self.perturbed else attribute
            for attribute in table.attributes
        )
        others = [a for a in attributes if a.role is Role.QUASI_IDENTIFIER]
        hidden = FullDomain({attribute.name: attribute.hierarchy.height for attribute in others})
        shown: dict[str, Shown] = {attribute.name: hidden.lookup(attribute).shown for attribute in others}
        for name in self.perturbed:
            shown[name] = Numbers(np.zeros(0), 0 if numeric(table, name).decimals == 0 else None)
        widths = [len(shown[a.name]) if a.name in shown else a.domain.size for a in attributes]
        return Outcome(
            table=replace(table, attributes=attributes),
            published=Counts.empty([attribute.name for attribute in attributes], widths),
            shown=shown,
            recoding=hidden if isinstance(self.anonymizer, FullDomainRequest) else None,
        )

    @property
    def needs(self) -> str:
        """What it takes for records to be published."""
        return f"It takes classes of {self.k:,} records."


def _check_anonymizer(anonymizer: Method) -> None:
    if not anonymizer.promises_k_anonymity or anonymizer.cost is not None:  # a k alone is not k-anonymity
        raise ParameterError(
            "anonymizer must be a method that promises k-anonymity, such as ola, mondrian, local-recoding or mdav; "
            f"got {anonymizer.name}."
        )
    k = getattr(anonymizer, "k", None)
    if type(k) is not int or k < 2:
        raise ParameterError(
            f"k of the anonymizer must be 2 or more; got {k!r}: a class of one record points at its person, however "
            "much noise there is."
        )
