"""dry_run(): what a run would do, cost and give, told without doing it.

Of a private method nothing is looked at but the release file and the names of the table's columns: no record is read,
nothing is drawn, nothing is spent. Other methods are told about no further, for what they give depends on the records.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal import pipeline
from shoal.criteria import KAnonymity
from shoal.dp.accounting.cost import PrivacyCost
from shoal.errors import ShoalError
from shoal.methods.parts.declared import is_paid
from shoal.methods.parts.pricing import checked_unread
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
    """

    method: str
    output: Path
    exists: bool
    cost: PrivacyCost | None
    promised: tuple[str, ...]
    facts: dict[str, Any]
    expectation: Expectation
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        price = "nothing of a budget" if self.cost is None else str(self.cost)
        lines = [
            f"{self.method} would be run; it would cost {price}. Nothing was run, written or spent.",
            f"release: {self.output}" + (" (exists already: --force replaces it)" if self.exists else ""),
            *(f"promised: {promise}" for promise in self.promised),
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
            "facts": self.facts,
            "expect": list(self.expectation.said),
            "warnings": list(self.expectation.warnings),
            "better": list(self.expectation.better),
            "figures": dict(self.expectation.figures),
            "notes": list(self.notes),
        }


def dry_run(plan_path: Path, output: Path | None = None, records: int | None = None) -> DryRun:
    """What a run of this release file would do; refuses what a run would refuse by what is public.

    Args:
        plan_path: The release file.
        output: Where the release would go, instead of where the release file says.
        records: About how many records there are, if that is public.
    """
    plan = Plan.load(plan_path)
    plan.require_sense(plan_path)
    if is_paid(plan.method):
        pipeline.look_before_paying(plan)
    made = checked_unread(plan.schema, plan.method, one_record_each=False)
    where = plan.output if output is None else output
    method: Any = plan.method
    promised = [KAnonymity(method.k, plan.schema.unit).statement] if method.promises_k_anonymity else []
    return DryRun(
        method=plan.method.name,
        output=where,
        exists=any(path.exists() for path in (where, owner_folder(where))),
        cost=made.cost,
        promised=tuple(promised),
        facts=made.facts(),
        expectation=expected(plan.schema, plan.method, records),
        notes=tuple(plan.notes),
    )


def warned(plan: Plan, records: int | None = None) -> tuple[str, ...]:
    """Why a run that is paid for may be of little use, by what is public: for the screen, before anything is spent."""
    if not is_paid(plan.method) or (plan.method.name == "marginals" and getattr(plan.method, "expected_records", None)):
        return ()  # marginals says it itself where it knows the number
    try:
        expectation = expected(plan.schema, plan.method, records)
    except (ShoalError, ArithmeticError):  # what cannot be told is no reason not to run; a run refuses in its own words
        return ()
    return tuple(f"warning: {sentence}" for sentence in expectation.warnings) + tuple(
        f"better: {sentence}" for sentence in expectation.better if expectation.warnings
    )
