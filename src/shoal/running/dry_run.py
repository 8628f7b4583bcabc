"""dry_run(): what a run would do, cost and give, told without doing it.

Nothing is looked at but the release file and the names of the table's columns, and what the ledger knows of the
dataset, which is recognized by its bytes: nothing told depends on a record, nothing is drawn, nothing is spent. Methods
without a budget are told about no further, for what they give depends on the records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.criteria import KAnonymity
from shoal.data.schema import Role
from shoal.dp.accounting.cost import PrivacyCost, shown
from shoal.dp.ledger.account import Account, Unbounded, smallest
from shoal.dp.ledger.store import LedgerStore
from shoal.engines.lazy.files import Computing
from shoal.engines.memory import memory_limit
from shoal.errors import ShoalError
from shoal.files.remains import data_folder
from shoal.methods.parts.declared import is_paid, records_each
from shoal.methods.parts.pricing import checked_unread
from shoal.pipeline import look_before_paying
from shoal.plan.expecting import Expectation, expected
from shoal.plan.plan import Plan
from shoal.promises.folder import owner_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What a run would do.

    Attributes:
        method: The method.
        output: Where the release would go.
        exists: Whether something is there already, so that the run would need --force.
        cost: What it would cost, if the method has a price.
        promised: What it would promise and is known already.
        facts: Public numbers that follow from the parameters.
        expectation: What it is likely to give.
        notes: What the release file says in vain.
        budget: What is left of the dataset's budget, in sentences; nothing of a method without a price.
        takes_part: Which records take part, where a person may have several.
    """

    method: str
    output: Path
    exists: bool
    cost: PrivacyCost | None
    promised: tuple[str, ...]
    facts: dict[str, Any]
    expectation: Expectation
    notes: tuple[str, ...] = ()
    budget: tuple[str, ...] = ()
    takes_part: str = ""

    def __str__(self) -> str:
        price = "nothing of a budget" if self.cost is None else str(self.cost)
        lines = [
            f"{self.method} would be run; it would cost {price}. Nothing was run, written or spent.",
            f"release: {self.output}" + (" (exists already: --force replaces it)" if self.exists else ""),
            *(f"promised: {promise}" for promise in self.promised),
            *(f"budget: {sentence}" for sentence in self.budget),
            *([f"records: {self.takes_part}"] if self.takes_part else []),
        ]
        expects = str(self.expectation) or (
            f"What {self.method} gives depends on the records: `shoal run` makes the release and its report, and "
            "`shoal compare` tries several."
        )
        return "\n".join([*lines, "", expects])

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        cost = None if self.cost is None else {"epsilon": float(self.cost.epsilon), "delta": float(self.cost.delta)}
        return {
            "method": self.method,
            "output": str(self.output),
            "exists": self.exists,
            "cost": cost,
            "promised": list(self.promised),
            "budget": list(self.budget),
            "takes_part": self.takes_part,
            "facts": self.facts,
            "expect": list(self.expectation.said),
            "warnings": list(self.expectation.warnings),
            "better": list(self.expectation.better),
            "figures": dict(self.expectation.figures),
            "notes": list(self.notes),
        }


def dry_run(
    plan_path: Path,
    output: Path | None = None,
    records: int | None = None,
    *,
    one_record_each: bool = False,
    computing: Computing | None = None,
) -> DryRun:
    """What a run of this release file would do; refuses what a run would refuse by what is public and by the budget.

    Args:
        plan_path: The release file.
        output: Where the release would go, instead of where the release file says.
        records: About how many records there are, if that is public; persons, where one record of each takes part.
        one_record_each: What the run would be told: that no person has several records.
        computing: What would read the files.
    """
    plan = Plan.load(plan_path)
    plan = plan if computing is None else replace(plan, computing=computing)
    plan.require_sense(plan_path)
    with memory_limit(plan.computing.memory if plan.computing.engine == "local" else None):
        guarantees = look_before_paying(plan, one_record_each=one_record_each)
    made = checked_unread(plan.schema, plan.method, one_record_each=one_record_each)
    where = plan.output if output is None else output
    return DryRun(
        method=plan.method.name,
        output=where,
        exists=any(path.exists() for path in (where, owner_folder(where))),
        cost=made.cost,
        promised=(*promised_unread(plan), *map(str, guarantees)),
        facts=made.facts(),
        expectation=expected(plan.schema, plan.method, records),
        notes=tuple(plan.notes),
        budget=() if made.cost is None else _budget(plan, made.cost, where),
        takes_part=_takes_part(plan, records),
    )


def promised_unread(plan: Plan) -> list[str]:
    """What would be verified of a release, as far as it can be said before a row is read."""
    method: Any = plan.method
    if hasattr(method, "asked"):
        return [criterion.statement for criterion in method.asked(plan.schema.names(Role.SENSITIVE), plan.schema.unit)]
    return [KAnonymity(method.k, plan.schema.unit).statement] if method.promises_k_anonymity else []


def _budget(plan: Plan, cost: PrivacyCost, where: Path) -> tuple[str, ...]:
    """What is left for this dataset, whose bytes are read to recognize it; refuses what does not fit, as a run does."""
    path, budget = plan.data.path, plan.budget
    if not isinstance(path, Path):
        return ("the ledger was not asked, for the whole table would have to be fetched; a run asks it.",)
    store = LedgerStore(budget.ledger or data_folder())
    dataset = plan.data.dataset(budget.dataset, computing=plan.computing)
    account = store.require_room(dataset, cost, str(where), limit=budget.limit)
    earlier = f"{len(account.spendings):,} earlier release{'s' * (len(account.spendings) != 1)} of this dataset"
    limits = smallest([*account.binding, *([] if budget.limit is None else [budget.limit])])
    if not limits:
        return (f"{earlier}; no limit is set ([budget] limit), and this run fits.",)
    return tuple(f"{earlier}; {_left(account, limit)} of {limit}, and this run fits." for limit in limits)


def _left(account: Account, limit: PrivacyCost) -> str:
    """What a limit leaves, never told as more than it is."""
    left = account.left(limit)
    if isinstance(left, Unbounded):  # a run would be refused, too: it does not come to this
        return str(left)
    return f"epsilon = {shown(left.epsilon, down=True)}, delta = {shown(left.delta, down=True)} is left"


def _takes_part(plan: Plan, records: int | None) -> str:
    """Which records take part, and so what the number of records is that of; nothing where all do."""
    most, unit = records_each(plan.schema, plan.method), plan.schema.unit
    if most is None:
        return ""
    if most == 1:
        said, counted = f"of each {unit.value} one takes part, drawn at random", f"the number of {unit.plural}"
    else:
        said, counted = (
            f"of each {unit.value} at most {most:,} take part, drawn at random",
            "the number that takes part",
        )
    here = "" if records is None else f", {records:,} here"
    return f"{said}; --records and expected_records mean {counted}{here}."


def warned(plan: Plan, records: int | None = None) -> tuple[str, ...]:
    """Why a run that is paid for may be of little use, by what is public: for the screen, before anything is spent."""
    if not is_paid(plan.method):
        return ()
    try:
        expectation = expected(plan.schema, plan.method, records)
    except (ShoalError, ArithmeticError):  # what cannot be told is no reason not to run; a run refuses in its own words
        return ()
    return tuple(f"warning: {sentence}" for sentence in expectation.warnings) + tuple(
        f"better: {sentence}" for sentence in expectation.better if expectation.warnings
    )
