"""Criteria by name: as they stand in a release file and in a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from enum import Enum
from typing import Any

from shoal.criteria.base import Criterion
from shoal.criteria.closeness import Closeness
from shoal.criteria.disclosure import Disclosure, Likeness
from shoal.criteria.diversity import DistinctDiversity, EntropyDiversity, FrequencyDiversity, RecursiveDiversity
from shoal.criteria.k_anonymity import KAnonymity
from shoal.criteria.lkc import LKCPrivacy
from shoal.errors import ParameterError, nearest
from shoal.parameters import read_parameter

CRITERIA: dict[str, type[Any]] = {
    "k-anonymity": KAnonymity,
    "distinct-diversity": DistinctDiversity,
    "entropy-diversity": EntropyDiversity,
    "recursive-diversity": RecursiveDiversity,
    "frequency-diversity": FrequencyDiversity,
    "closeness": Closeness,
    "disclosure": Disclosure,
    "likeness": Likeness,
    "lkc-privacy": LKCPrivacy,
}


def to_dict(criterion: Criterion) -> dict[str, Any]:
    """Name and parameters of a criterion."""
    name = next(name for name, kind in CRITERIA.items() if isinstance(criterion, kind))
    return {"name": name, **{key: _plain(value) for key, value in asdict(criterion).items()}}  # type: ignore[call-overload]


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
    kind = CRITERIA[name]
    known = [field.name for field in fields(kind)]
    for key in parameters:
        if key not in known:
            raise ParameterError(
                f"{key!r} is not a parameter of {name}; it has {', '.join(known)}.{nearest(key, known)}"
            )
    missing = [field.name for field in fields(kind) if field.name not in parameters and field.default is MISSING]
    if missing:
        raise ParameterError(f"{name} needs {', '.join(missing)}.")
    try:
        read = {key: read_parameter(kind, key, value) for key, value in parameters.items()}
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None
    criterion: Criterion = kind(**read)
    return criterion
