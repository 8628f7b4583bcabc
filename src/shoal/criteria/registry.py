"""Criteria by name: as they stand in a release file and in a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from enum import Enum
from typing import Any

from shoal.criteria.base import Criterion
from shoal.criteria.closeness import Closeness
from shoal.criteria.disclosure import Disclosure, Likeness
from shoal.criteria.diversity import DistinctDiversity, EntropyDiversity, FrequencyDiversity, RecursiveDiversity
from shoal.criteria.k_anonymity import KAnonymity
from shoal.criteria.lkc import LKCPrivacy
from shoal.criteria.population import KMap, PopulationUniqueness, Presence
from shoal.criteria.risk import AverageRisk, RecordsAtRisk, SampleUniqueness
from shoal.criteria.sequence_anonymity import SequenceAnonymity
from shoal.errors import ParameterError, nearest
from shoal.plugins import Registry, from_table

_OWN: tuple[type[Any], ...] = (
    KAnonymity,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    FrequencyDiversity,
    Closeness,
    Disclosure,
    Likeness,
    LKCPrivacy,
    AverageRisk,
    RecordsAtRisk,
    SampleUniqueness,
    PopulationUniqueness,
    KMap,
    Presence,
    SequenceAnonymity,
)

CRITERIA = Registry("shoal.criteria", "criterion", {kind.name: kind for kind in _OWN}, Criterion)


def to_dict(criterion: Criterion) -> dict[str, Any]:
    """Name and parameters of a criterion."""
    return {"name": criterion.name, **{key: _plain(value) for key, value in asdict(criterion).items()}}  # type: ignore[call-overload]


def _plain(value: Any) -> Any:
    """A parameter as JSON and TOML have it."""
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def from_dict(described: Mapping[str, Any]) -> Criterion:
    """The criterion with this name and these parameters."""
    parameters = dict(described)
    name = parameters.pop("name", None)
    if not isinstance(name, str) or name not in CRITERIA:
        raise ParameterError(
            f"{name!r} is not a criterion; expected one of {', '.join(CRITERIA)}.{nearest(str(name), list(CRITERIA))}"
        )
    criterion: Criterion = from_table(CRITERIA[name], name, parameters)
    return criterion
