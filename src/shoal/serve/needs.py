"""What a release may be needed for, and the method and parameters that each need starts with; all can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NEEDS: dict[str, dict[str, Any]] = {
    "syntactic": {"name": "optimal-lattice", "k": 5, "suppression_limit": 0.05},
    "truthful": {"name": "safepub", "epsilon": 1.0, "delta": 1e-5},
    "classifier": {"name": "diffgen", "epsilon": 1.0, "specializations": 10},
    "counts": {"name": "marginals", "epsilon": 1.0},
    "numbers": {"name": "microaggregation-dp", "epsilon": 1.0, "k": 25},
    "both": {"name": "k-epsilon", "epsilon": 1.0, "anonymizer": {"name": "mondrian", "k": 5}},
}
_COUNTS = "counts"


def need_of(content: Mapping[str, Any], *, is_paid: bool) -> str | None:
    """Which need a release file serves; all methods that cost nothing and are not named serve the first."""
    name = content.get("method", {}).get("name", "")
    served = [need for need, start in NEEDS.items() if start["name"] == name]
    if _COUNTS in served and content.get("output", {}).get("groups"):
        return _COUNTS
    return next(iter(served), None if is_paid else "syntactic")


def with_groups(content: dict[str, Any], need: str | None) -> None:
    """Have the table of counts written for whoever needs it, and for nobody else."""
    output = content.setdefault("output", {})
    if need == _COUNTS:
        output["groups"] = True
    elif need is not None:
        output.pop("groups", None)
