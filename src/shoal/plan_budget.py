"""[budget] of a release file: how much may be spent on a dataset, and where the books are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.dp.guarantee import PrivacyCost
from shoal.errors import ParameterError, PlanError
from shoal.parameters import read_parameters
from shoal.plan_columns import is_number, known_keys, string_at


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


def budget_said(said: Mapping[str, Any], folder: Path, here: str) -> BudgetPlan:
    """The budget that a release file gives."""
    known_keys(said, ("limit", "ledger", "dataset"), here)
    limit = said.get("limit")
    if limit is not None:
        if not isinstance(limit, Mapping) or not all(map(is_number, limit.values())) or "epsilon" not in limit:
            raise PlanError(f"{here}: limit is a table such as {{ epsilon = 2.0, delta = 1e-4 }}; got {limit!r}.")
        known_keys(limit, ("epsilon", "delta"), f"{here} limit")
    try:
        most = None if limit is None else PrivacyCost.of(limit["epsilon"], limit.get("delta", 0))
    except ParameterError as error:
        raise PlanError(f"{here} limit: {error}") from None
    return BudgetPlan(
        limit=most,
        ledger=folder / string_at(said, "ledger", here) if "ledger" in said else None,
        dataset=string_at(said, "dataset", here) if "dataset" in said else None,
    )
