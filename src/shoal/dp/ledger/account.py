"""The account of one dataset: what its releases took, which limits bind, and whether there is room for another.

A limit binds from the release it was set with on, for every later release, whether that one sets a limit or not; of
several the smallest binds. Only the owner's explicit word lifts one (`LedgerStore.raise_limit`). Costs are told under
the limit's neighboring relation first; one that says nothing there is refused, because nothing would be bounded.
Proof: `docs/proofs/composition.md`, sections 2, 3 and 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.data.unit import Unit
from shoal.dp.accounting.composition import sequential
from shoal.dp.accounting.cost import PrivacyCost, shown
from shoal.dp.accounting.relation import Neighbors, Relation, common, relation_of
from shoal.dp.ledger.rows import Raise, Spending
from shoal.errors import BudgetError, InfeasibleError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Limit:
    """What may be spent on a dataset over all its releases, and since when that holds."""

    cost: PrivacyCost
    number: int
    """The row that set it."""
    source: str
    """Who set it, in words."""
    at: str


@dataclass(frozen=True, slots=True)
class Unbounded:
    """A neighboring relation under which nothing bounds what all releases together give away."""

    relation: Relation
    why: str

    def __str__(self) -> str:
        return f"nothing bounds the loss under '{self.relation}': {self.why}"

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return _relation_as_dict(self.relation) | {"because": self.why}


@dataclass(frozen=True, slots=True)
class Account:
    """Everything that the ledger knows about one dataset, oldest first."""

    events: tuple[Spending | Raise, ...] = ()

    @property
    def spendings(self) -> tuple[Spending, ...]:
        """What was taken, by which releases."""
        return tuple(event for event in self.events if isinstance(event, Spending))

    @property
    def raises(self) -> tuple[Raise, ...]:
        """When the owner set another limit."""
        return tuple(event for event in self.events if isinstance(event, Raise))

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Every limit that was set and not lifted."""
        lifted = frozenset[int]().union(*(event.lifted for event in self.raises))
        found = []
        for event in self.events:
            if event.limit is None or event.number in lifted:
                continue
            if isinstance(event, Spending):
                found.append(Limit(event.limit, event.number, f"release {event.release!r}", event.reserved_at))
            else:
                found.append(Limit(event.limit, event.number, "its owner", event.at))
        return tuple(found)

    @property
    def binding(self) -> tuple[PrivacyCost, ...]:
        """The limit that binds for each relation under which one was set: the smallest ε and the smallest δ."""
        return smallest(limit.cost for limit in self.limits)

    def totals(self) -> list[PrivacyCost | Unbounded]:
        """What all releases give away together, under each relation that occurs and the strongest that all share.

        Unlike things are not added up: under a relation for which one of the releases promises nothing, there is no
        total.
        """
        costs = [spending.cost for spending in self.spendings]
        relations = dict.fromkeys(cost.relation for cost in costs)
        shared = common(list(relations)) if relations else None
        strongest = [] if shared is None or shared in relations else [shared]
        return [self.spent(relation) for relation in (*relations, *strongest)]

    def spent(self, relation: Relation) -> PrivacyCost | Unbounded:
        """What all releases give away together under a relation."""
        silent = dict.fromkeys(repr(s.release) for s in self.spendings if not _converts_to(s.cost, relation))
        if silent:
            return Unbounded(relation, f"{', '.join(silent)} promised nothing there")
        try:
            return total(self.spendings, relation)
        except BudgetError as error:  # δ reaches 1
            return Unbounded(relation, str(error))

    def left(self, limit: PrivacyCost) -> PrivacyCost | Unbounded:
        """What a limit leaves to be spent, told under its relation."""
        spent = self.spent(limit.relation)
        if isinstance(spent, Unbounded):
            return spent
        epsilon, delta = limit.epsilon - spent.epsilon, limit.delta - spent.delta
        return PrivacyCost.for_relation(max(epsilon, Fraction(0)), max(delta, Fraction(0)), limit.relation)

    def require_room(
        self, cost: PrivacyCost, limit: PrivacyCost | None, release: str, command: str = "shoal ledger DATA"
    ) -> None:
        """Refuse a cost that would exceed a limit; also one after which nothing at all would be bounded.

        `command` shows this account: with it the owner is told how to raise the limit.
        """
        set_now = () if limit is None else (limit,)
        for binding in smallest([*self.binding, *set_now]):
            self._require_within(cost, binding, release, command, is_older=binding != limit)
        self._require_something(cost, release)

    def require_sense(self, limit: PrivacyCost) -> None:
        """Refuse to set a limit that is exceeded already, or under which what was spent cannot be told."""
        spent = self.spent(limit.relation)
        if isinstance(spent, Unbounded):
            raise BudgetError(
                f"ledger: a limit of {_numbers(limit)} cannot hold: {spent}. Nothing was changed. Set it under a "
                "relation that all releases share; shoal ledger DATA shows them."
            )
        if not spent.within(limit):
            raise BudgetError(
                f"ledger: {_counted(self.spendings)} of this dataset took {spent}; a limit of {_numbers(limit)} would "
                "be broken already. Nothing was changed. Give a limit that is not below what was spent."
            )

    def _require_within(
        self, cost: PrivacyCost, limit: PrivacyCost, release: str, command: str, *, is_older: bool
    ) -> None:
        bound = f"the limit is {_numbers(limit)} ({limit.relation})"
        if is_older:
            setters = [found for found in self.limits if found.cost.relation == limit.relation]
            by = min(setters, key=lambda found: (found.cost.epsilon, found.cost.delta, found.number))
            bound += f", set by {by.source} on {by.at[:10]}"
        if not _converts_to(cost, limit.relation):
            raise BudgetError(
                f"release {release!r}: {bound}; a cost under '{cost.relation}' says nothing there, so nothing would "
                f"keep the limit. Nothing was computed. {self._way_forward(cost, command, is_older=is_older)}"
            )
        spent = self.spent(limit.relation)
        if isinstance(spent, Unbounded):
            raise BudgetError(
                f"release {release!r}: {bound}; {spent}, so this limit cannot hold. Nothing was computed. "
                f"{self._way_forward(cost, command, is_older=is_older)}"
            )
        try:
            asked = cost.under(limit.relation)
            is_within = sequential([spent, asked]).within(limit)
        except (InfeasibleError, BudgetError) as error:
            raise BudgetError(f"release {release!r}: {bound}; {error} Nothing was computed.") from error
        if not is_within:
            raise BudgetError(
                f"release {release!r}: it costs {_numbers(asked)}; {_counted(self.spendings)} of this dataset took "
                f"{_numbers(spent)}; {bound}. Nothing was computed. Lower the cost, or raise the limit if you may: "
                f"{command} --raise epsilon=...,delta=..."
            )

    def _require_something(self, cost: PrivacyCost, release: str) -> None:
        """Refuse a cost that shares no relation with what was spent before: together they would promise nothing."""
        costs = [*(spending.cost for spending in self.spendings), cost]
        shared = common([each.relation for each in costs])
        if shared is None and len({each.unit for each in costs}) > 1:
            raise BudgetError(
                f"release {release!r}: it protects one {cost.unit.value} by '{cost.relation}', and "
                f"{_counted(self.spendings)} of this dataset protected others: nothing would bound what they give "
                "away together. Nothing was computed. Say in [data] what a person is as the earlier releases did, or "
                "use a method that promises add/remove."
            )
        if shared is None:
            unlike = [s for s in self.spendings if s.cost.protected and not s.cost.protected >= cost.protected]
            others = sorted(frozenset[str]().union(*(s.cost.protected for s in unlike)) - cost.protected)
            raise BudgetError(
                f"release {release!r}: it protects {_named(cost.protected)} and no other column, and "
                f"{_counted(self.spendings)} of this dataset protected others ({_named(others)}): no column is "
                "protected by all of them, so nothing would bound what they give away together. Nothing was computed. "
                "Protect the same columns again (perturb them in this release as well), or use a method that protects "
                "whole records."
            )
        try:
            sequential(each.under(shared) for each in costs)
        except (InfeasibleError, BudgetError) as error:
            raise BudgetError(
                f"release {release!r}: with the earlier ones nothing would be promised: {error} Nothing was computed."
            ) from error

    def _way_forward(self, cost: PrivacyCost, command: str, *, is_older: bool) -> str:
        """What an owner can do about a limit under a relation that a cost says nothing about."""
        relations = [cost.relation, *(spending.cost.relation for spending in self.spendings)]
        shared = common(relations)
        if shared is None:
            return (
                "No relation covers this release and the earlier ones: protect the same columns in all of them, and "
                "say alike what a person is."
            )
        counted = ", where add/remove counts double" if shared.neighbors is not Neighbors.ADD_REMOVE else ""
        how = f"{command} --raise epsilon=...,delta=... {_options(shared)}" if is_older else _in_file(shared, cost.unit)
        return f"To go on, tell the limit under '{shared}' instead{counted}: {how}"


def total(history: Iterable[Spending], neighbors: Neighbors | Relation) -> PrivacyCost:
    """What spendings cost together, told under one neighboring relation; `BudgetError` where that cannot be told."""
    relation = relation_of(neighbors)
    try:
        costs = [spending.cost.under(relation) for spending in history]
    except (ParameterError, InfeasibleError) as error:
        raise BudgetError(f"ledger: earlier releases cannot be told under '{relation}': {error}") from error
    return sequential([PrivacyCost.for_relation(Fraction(0), Fraction(0), relation), *costs])


def smallest(limits: Iterable[PrivacyCost]) -> tuple[PrivacyCost, ...]:
    """For each relation the limit that keeps within all of them."""
    found: dict[Relation, PrivacyCost] = {}
    for limit in limits:
        known = found.get(limit.relation, limit)
        epsilon, delta = min(known.epsilon, limit.epsilon), min(known.delta, limit.delta)
        found[limit.relation] = PrivacyCost.for_relation(epsilon, delta, limit.relation)
    return tuple(found.values())


def as_dict(cost: PrivacyCost) -> dict[str, Any]:
    """A cost for machines."""
    return {"epsilon": float(cost.epsilon), "delta": float(cost.delta)} | _relation_as_dict(cost.relation)


def _relation_as_dict(relation: Relation) -> dict[str, Any]:
    protected = {"protected": sorted(relation.protected)} if relation.protected else {}
    return {"neighbors": relation.neighbors.of(relation.unit)} | protected


def _converts_to(cost: PrivacyCost, relation: Relation) -> bool:
    return cost.relation.steps_to(relation) is not None


def _numbers(cost: PrivacyCost) -> str:
    return f"epsilon = {shown(cost.epsilon)}, delta = {shown(cost.delta)}"


def _counted(spendings: Sequence[Spending]) -> str:
    return "1 earlier release" if len(spendings) == 1 else f"{len(spendings):,} earlier releases"


def _named(columns: Iterable[str]) -> str:
    return ", ".join(sorted(columns))


def _options(relation: Relation) -> str:
    """A relation as options of `shoal ledger`."""
    columns = "".join(f" --protected {name}" for name in sorted(relation.protected))
    unit = "" if relation.unit is Unit.RECORD else f" --unit {relation.unit.value}"
    return f"--neighbors {relation.kind}{columns}{unit}"


def _in_file(relation: Relation, usual: Unit) -> str:
    """A relation as a limit in a release file tells it; whom it is about only if that is not said elsewhere."""
    columns = f", protected = {sorted(relation.protected)}" if relation.protected else ""
    unit = "" if relation.unit is usual else f', unit = "{relation.unit.value}"'
    return f'limit = {{ epsilon = ..., delta = ..., neighbors = "{relation.kind}"{columns}{unit} }} in [budget]'
