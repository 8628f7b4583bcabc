"""[budget] of a release file: how much may be spent on a dataset, and where the books are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Relation
from shoal.errors import ParameterError, PlanError
from shoal.parameters import read_parameters
from shoal.plan.columns import is_number, known_keys, string_at, strings


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """What may be spent on a dataset over all its releases.

    Attributes:
        limit: The most; no limit if not given, and everything is written down all the same.
        ledger: The folder of the ledger, if not the user's data folder.
        dataset: The name of the dataset: it stays the same dataset under this name when its content changes.
    """

    limit: PrivacyCost | None = None
    ledger: Path | None = None
    dataset: str | None = None

    def __post_init__(self) -> None:
        read_parameters(self)


NO_LIMIT = BudgetPlan()
"""Of a release file that says nothing."""


def parse_budget(table: Mapping[str, Any], folder: Path, here: str, usual: Relation) -> BudgetPlan:
    """The budget that a release file gives; a limit is told under the `usual` relation if it does not name one."""
    known_keys(table, ("limit", "ledger", "dataset"), here)
    limit = table.get("limit")
    if limit is not None:
        _require_numbers(limit, here)
    return BudgetPlan(
        limit=None if limit is None else _parse_limit(limit, f"{here} limit", usual),
        ledger=folder / string_at(table, "ledger", here) if "ledger" in table else None,
        dataset=string_at(table, "dataset", here) if "dataset" in table else None,
    )


def _require_numbers(limit: Any, here: str) -> None:
    expected = f"{here}: limit is a table such as {{ epsilon = 2.0, delta = 1e-4 }}"
    if not isinstance(limit, Mapping):
        raise PlanError(f"{expected}; got {limit!r}.")
    known_keys(limit, ("epsilon", "delta", "neighbors", "protected", "unit"), f"{here} limit")
    if "epsilon" not in limit:
        raise PlanError(f"{expected}; epsilon is missing.")
    for key in ("epsilon", "delta"):
        if key in limit and not is_number(limit[key]):
            bare = ", without quotation marks" if isinstance(limit[key], str) else ""
            raise PlanError(f"{here} limit: {key} is a number{bare}; got {limit[key]!r}.")


def _parse_limit(limit: Mapping[str, Any], here: str, usual: Relation) -> PrivacyCost:
    """A limit, under the relation that it names."""
    try:
        relation = usual
        if "neighbors" in limit or "protected" in limit or "unit" in limit:
            columns = strings(limit["protected"], f"{here} protected") if "protected" in limit else []
            if "neighbors" in limit or "protected" in limit:
                kind = limit.get("neighbors", "attributes")
            else:
                kind, columns = usual.kind, list(usual.protected)
            relation = Relation.named(kind, columns, limit.get("unit", usual.unit))
        return PrivacyCost.of(limit["epsilon"], limit.get("delta", 0), relation)
    except ParameterError as error:
        raise PlanError(f"{here}: {error}") from None
