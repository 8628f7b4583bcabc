"""What a release may be needed for, and the method and parameters that each need starts with; all can be changed."""

from __future__ import annotations

from typing import Any

NEEDS: dict[str, dict[str, Any]] = {
    "syntactic": {"name": "optimal-lattice", "k": 5, "suppression_limit": 0.05},
    "truthful": {"name": "safepub", "epsilon": 1.0, "delta": 1e-5},
    "classifier": {"name": "diffgen", "epsilon": 1.0, "specializations": 10},
    "counts": {"name": "marginals", "epsilon": 1.0},
    "numbers": {"name": "microaggregation-dp", "epsilon": 1.0, "k": 25},
    "both": {"name": "k-epsilon", "epsilon": 1.0, "anonymizer": {"name": "mondrian", "k": 5}},
}


def need_of(name: str, *, is_paid: bool) -> str | None:
    """Which need a method serves; all that cost nothing and are not named serve the first."""
    named = next((need for need, start in NEEDS.items() if start["name"] == name), None)
    return named or (None if is_paid else "syntactic")
