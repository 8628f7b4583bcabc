"""A release as a Frictionless Data Package: `datapackage.json`.

Specification: Data Package 1 (tabular data resources with a table schema), which version 2 reads as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.promises.certificate import CERTIFICATE, Certificate
from shoal.promises.describing.published_types import Kind
from shoal.promises.describing.words import about_column, about_release, short_name

_MEDIA = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


def data_package(
    certificate: Certificate, data: Path | None, kinds: Mapping[str, Kind], digests: Mapping[str, str]
) -> dict[str, Any]:
    """The descriptor of a release whose records stand in `data`."""
    about = certificate.about
    contributors = [{"title": about.owner, "role": "publisher"}] if about.owner else []
    return {
        "name": short_name(certificate),
        **({"title": about.title} if about.title else {}),
        "description": about_release(certificate),
        **({"created": f"{certificate.date}T00:00:00Z"} if certificate.date else {}),
        **({"contributors": contributors} if contributors else {}),
        "profile": "tabular-data-package",
        "shoal:certificate": CERTIFICATE,
        "resources": [] if data is None else [_resource(certificate, data, kinds, digests)],
    }


def _resource(
    certificate: Certificate, data: Path, kinds: Mapping[str, Kind], digests: Mapping[str, str]
) -> dict[str, Any]:
    form = data.suffix[1:]
    described = {column["name"]: column for column in certificate.columns}
    fields = [
        {
            "name": name,
            "type": kind.value,
            **(
                {"description": about_column(described[name]), "shoal:role": described[name]["role"]}
                if name in described
                else {}
            ),
        }
        for name, kind in kinds.items()
    ]
    return {
        "name": "data",
        "path": data.name,
        "profile": "tabular-data-resource",
        "format": form,
        **({"mediatype": _MEDIA[form]} if form in _MEDIA else {}),
        "encoding": "utf-8",
        "bytes": data.stat().st_size,
        "hash": digests[data.name],
        **({"dialect": {"delimiter": ",", "header": True}} if form == "csv" else {}),
        "schema": {"fields": fields, "missingValues": [""]},
    }
