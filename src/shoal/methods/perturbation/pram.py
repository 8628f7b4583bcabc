"""PRAM, the post-randomization method: every value becomes another one with a known chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from shoal.arrays import Keys
from shoal.data.attribute import Attribute
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.schema import Schema
from shoal.dp.accounting.budget_range import require_epsilon
from shoal.dp.accounting.cost import PrivacyCost, shown
from shoal.dp.accounting.relation import Neighbors
from shoal.errors import ParameterError, SchemaError, listed
from shoal.methods.perturbation.measuring import change_measured
from shoal.methods.perturbation.request import NOBODY_BOUNDS, PerturbationRequest, codes_of, side_by_side
from shoal.methods.perturbation.transitions import MOST_VALUES, Matrix, Response
from shoal.parameters import Number, exact
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import PUBLIC, Basis, Guarantee

if TYPE_CHECKING:
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger

_ATTRIBUTES = (
    "neighboring tables differ in the perturbed columns of one record and agree in all others",
    "columns that are not perturbed are not protected by it",
    "one record for each person",
    f"domains, transition matrices and parameters {PUBLIC}",
    "nobody observes how long the computation takes",
)


@dataclass(frozen=True, kw_only=True)
class PRAM(PerturbationRequest):
    """Let every value of some columns become another one with a known chance, record by record.

    One of three says with which chance. `epsilon`: randomized response, a value stays e^(ε/m) times as likely as any
    other one comes, m columns sharing ε. `matrices`: what you write. `invariant`: matrices that leave frequencies as
    they are, which are made from the data. With the first two, frequencies of the original are estimated from those
    that are published by `shoal.perturbation.unbiased_frequencies`.

    Attributes:
        epsilon: ε of randomized response, all perturbed columns of a record together.
        matrices: Per perturbed column, for every value what it may become and with which chance, such as
            `{ smokes = { yes = { yes = 0.8, no = 0.2 }, no = { yes = 0.2, no = 0.8 } } }`; chances add up to 1 exactly.
            A missing value without a row becomes any with the same chance first.
        invariant: The chance that a value is kept in the first of two draws, of which the second undoes what the first
            did to frequencies; nothing formal is promised.

    Guarantee: with `epsilon`, or with matrices in which every value may come from every other: ε-differential privacy
        for tables that differ in the perturbed columns of one record, locally, proved; it is paid for. Else nothing
        formal. k-anonymity of the other quasi-identifiers.
    Paper: Gouweleeuw, Kooiman, Willenborg & de Wolf 1998; Warner 1965; `docs/proofs/pram.md`.
    """

    name: ClassVar[str] = "pram"

    epsilon: Number | None = None
    matrices: Mapping[str, Mapping[str, Mapping[str, Number]]] = field(default_factory=dict)
    invariant: Number | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.epsilon is not None, bool(self.matrices), self.invariant is not None]
        if sum(given) != 1:
            raise ParameterError("pram needs one of epsilon, matrices and invariant, which say how values change.")
        if self.epsilon is not None:
            require_epsilon(self.epsilon)
        if self.invariant is not None and not 0 < exact(self.invariant, "invariant") < 1:
            raise ParameterError(f"invariant is a chance between 0 and 1; got {self.invariant!r}.")
        if self.matrices and set(self.matrices) != set(self.perturbed):
            odd = sorted(set(self.matrices) ^ set(self.perturbed))
            raise ParameterError(f"matrices has a table for every column of perturbed and no other; see {listed(odd)}.")
        for name, rows in self.matrices.items():
            Matrix.of(name, rows)  # refuses what is none

    @property
    def reading(self) -> str:
        """How it is to be read: chances that follow from the data are known to nobody who receives it."""
        if self.invariant is None:
            changed = "with known chances: none says for sure what stood there, and frequencies can be estimated"
        else:
            changed = (
                "so that the frequencies of each column by itself are expected to stay as they were: none says for "
                "sure what stood there, and what columns say about each other is weakened"
            )
        return f"Some values were changed by chance, {changed}. Other values may be coarser than in the original."

    # What is promised: all public, all known before a row is read.

    @property
    def epsilon_of_column(self) -> Fraction:
        """What each column has of ε, with randomized response."""
        assert self.epsilon is not None
        return exact(self.epsilon) / len(self.perturbed)

    @cached_property
    def _epsilons(self) -> dict[str, Fraction] | None:
        """What each column costs; None if one of them has no price."""
        if self.epsilon is not None:
            return dict.fromkeys(self.perturbed, self.epsilon_of_column)
        found = {name: Matrix.of(name, self.matrices[name]).epsilon for name in self.perturbed if self.matrices}
        prices = {name: price for name, price in found.items() if price is not None}
        return prices if prices.keys() == set(self.perturbed) else None

    @property
    def cost(self) -> PrivacyCost | None:
        """What a release costs; nothing that could be charged where nothing is promised."""
        if self._epsilons is None:
            return None
        total = exact(
            shown(sum(self._epsilons.values(), Fraction(0)))
        )  # as a certificate writes it, and reads it again
        return PrivacyCost(total, neighbors=Neighbors.ATTRIBUTES, protected=frozenset(self.perturbed))

    @property
    def covers(self) -> tuple[str, ...]:
        """The columns that differential privacy covers: no value of theirs may raise an error."""
        return () if self.cost is None else self.perturbed

    def for_several(self, records: int) -> Self:
        """With an equal part of ε for each of so many records; matrices stay what was written."""
        if self.epsilon is None:
            refused: Self = super().for_several(records)
            return refused
        return replace(self, epsilon=exact(self.epsilon) / records)

    def guarantees(self, outcome: Outcome | None = None) -> tuple[Guarantee, ...]:
        """What is promised, on what basis."""
        del outcome  # all of it follows from the parameters
        if self.cost is None or self._epsilons is None:
            what = "values changed by chance, with chances that "
            what += "follow from the data" if self.invariant is not None else "let some values give themselves away"
            return (Guarantee(statements.nothing_formal(what, self.perturbed), Basis.MEASURED, NOBODY_BOUNDS),)
        statement = statements.randomized_response(self.cost.epsilon, self._epsilons)
        return (Guarantee(statement, Basis.PROVED, _ATTRIBUTES, Neighbors.ATTRIBUTES, cost=self.cost),)

    @property
    def needs(self) -> str:
        """What it takes for records to be published."""
        k = getattr(self.anonymizer, "k", None)
        return "It takes records." if k is None else f"It takes classes of {k:,} records."

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """The perturbed columns, and what the k-anonymizer needs of the others."""
        counted = super().counted(schema)
        undeclared = [name for name in self.perturbed if not schema[name].is_declared]
        if self.cost is not None and undeclared:
            raise SchemaError(
                f"the domain of {listed(undeclared)} is not declared, and taking it from the data is not private; "
                "write its values, and remove 'observed', or confirm what was observed with `shoal declare`."
            )
        return counted

    # The table

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Change every value of the perturbed columns by itself."""
        places = {name: self._places(table[name]) for name in self.perturbed}  # refuses by what is public
        records, decided = self.records(table, ledger, coins, progress)
        if self.cost is not None:
            ledger.charge(self.cost, "randomized response in every record")
        progress("changing values", 0.0)
        changed: dict[str, Keys] = {}
        losses: dict[str, float] = {}
        for name, place in places.items():
            true = codes_of(table, name, records)
            changed[name] = self._changed(name, true, place, coins)
            losses |= change_measured(name, true, changed[name], records, ordered=False)
        return side_by_side(table, records, decided, changed, losses)

    def _places(self, attribute: Attribute) -> Keys:
        """Where each code of a domain stands among the values that change: −1 for one that is none of them."""
        domain = attribute.domain
        place = np.arange(domain.size)
        if self.invariant is not None:
            return place
        if self.epsilon is not None:
            if attribute.absorbs and domain.missing is not None:
                place[domain.missing] = -1
                place[domain.missing + 1 :] -= 1
            return place
        if domain.size > MOST_VALUES + 1:
            raise SchemaError(f"column {attribute.name!r} has {domain.size:,} values; a matrix takes {MOST_VALUES:,}.")
        names, labels = list(self.matrices[attribute.name]), domain.labels(range(domain.size))
        known = [label for code, label in enumerate(labels) if code != domain.missing or label in names]
        if sorted(known) != sorted(names):
            odd = sorted(set(known) ^ set(names))
            raise SchemaError(
                f"matrices: column {attribute.name!r} has other values than its matrix has rows; see {listed(odd, 6)}."
            )
        return np.array([names.index(label) if label in names else -1 for label in labels])

    def _changed(self, name: str, true: Keys, place: Keys, coins: Coins) -> Keys:
        """What becomes of the values of one column."""
        if self.invariant is not None:
            occurring, codes = np.unique(true, return_inverse=True)
            response = Response.of_chance(exact(self.invariant), len(occurring))
            return np.asarray(occurring[response.invariant(codes.astype(np.int64), coins)])
        codes_at = np.flatnonzero(place >= 0)
        code_of = np.empty(len(codes_at), dtype=np.int64)
        code_of[place[codes_at]] = codes_at
        if self.epsilon is not None:
            return code_of[Response.of_epsilon(self.epsilon_of_column, len(code_of)).drawn(place[true], coins)]
        return code_of[Matrix.of(name, self.matrices[name]).drawn(place[true], coins)]
