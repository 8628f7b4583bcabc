"""check_release(): what a release promises, verified again from the published files alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.criteria import Criterion
from shoal.criteria.registry import from_dict
from shoal.criteria.verify import Verdict, verify
from shoal.data.domain import Categorical
from shoal.data.hierarchy_paths import Paths
from shoal.data.schema import Column, Role, Schema
from shoal.dp.guarantee import Basis
from shoal.engines.local import LocalEngine
from shoal.engines.source import open_source
from shoal.errors import DataError
from shoal.plan import FORMATS
from shoal.progress import Progress, silent
from shoal.release import CERTIFICATE, Certificate


def check_release(folder: Path, progress: Progress = silent) -> tuple[Certificate, list[Verdict]]:
    """Check again, from the published files alone, whatever a release promises that can be verified."""
    path, certificate = published_files(folder)
    try:
        columns = tuple(_certified_column(said) for said in certificate.columns)
        criteria = [from_dict({k: v for k, v in said.items() if k != "reached"}) for said in certificate.criteria]
        reached = [float(said["reached"]) for said in certificate.criteria]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(f"{folder / CERTIFICATE} is not a certificate of Shoal, or is damaged.") from None
    _require_consistent(certificate, criteria, folder / CERTIFICATE)
    engine = LocalEngine(open_source(path, delimiter=","), is_literal=True)
    schema = Schema(columns)
    table = engine.encode(schema, schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE), progress)
    if table.total != certificate.records:
        raise DataError(
            f"{path} has {table.total:,} records where the certificate says {certificate.records:,}; the two do "
            "not belong together."
        )
    for criterion in criteria:
        criterion.check(table)
    verdicts = verify(table, table.counts, criteria)
    for verdict, claimed in zip(verdicts, reached, strict=True):
        if verdict.holds and abs(verdict.reached - claimed) > 1e-9 * max(1.0, abs(claimed)):
            raise DataError(
                f"{path} reaches {verdict.reached:.6g} where the certificate says {claimed:.6g} "
                f"({verdict.criterion.statement}); the two do not belong together."
            )
    return certificate, verdicts


def published_files(folder: Path) -> tuple[Path, Certificate]:
    """The table and the certificate of a release, as `shoal run` has written them."""
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; expected the folder of a release made by `shoal run`.")
    certificate = Certificate.load(folder / CERTIFICATE)
    found = [path for ending in FORMATS if (path := folder / f"data.{ending}").exists()]
    if len(found) != 1:
        raise DataError(
            f"{folder} has {'both' if found else 'no'} data.csv {'and' if found else 'or'} data.parquet; expected one "
            "of them, as `shoal run` writes it."
        )
    return found[0], certificate


def _require_consistent(certificate: Certificate, criteria: Sequence[Criterion], where: Path) -> None:
    """What is said to be verified must be what can be verified: nothing more, nothing else."""
    said = [guarantee.statement for guarantee in certificate.guarantees if guarantee.basis is Basis.VERIFIED]
    if not certificate.guarantees or sorted(said) != sorted(criterion.statement for criterion in criteria):
        raise DataError(
            f"{where} contradicts itself: what it says is verified is not what it gives to verify; ask its publisher "
            "for the release as `shoal run` wrote it."
        )


def _certified_column(said: Mapping[str, Any]) -> Column:
    role = Role(said["role"])
    role = Role.INSENSITIVE if role is Role.PERTURBED else role  # its noise takes no part in any class
    if "paths" not in said:
        return Column(said["name"], role)
    paths = tuple(tuple(str(label) for label in path) for path in said["paths"])
    values = tuple(path[0] for path in paths)
    missing = values.index(said["missing"]) if "missing" in said else None
    domain = Categorical(values, ordered=bool(said["ordered"]), missing=missing)
    return Column(said["name"], role, domain, Paths(paths, f"the certificate, column {said['name']!r}"))
