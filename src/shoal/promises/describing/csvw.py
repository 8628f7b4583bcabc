"""A release as CSV on the Web: `data.csv-metadata.json`, which is found beside the file by its name (W3C, 2015)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from shoal.promises.certificate import Certificate
from shoal.promises.describing.published_types import Kind
from shoal.promises.describing.words import about_column, about_release

_DATATYPES = {Kind.INTEGER: "integer", Kind.NUMBER: "number", Kind.DATE: "date", Kind.TEXT: "string"}


def csvw(certificate: Certificate, data: Path, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """The description of a published CSV file."""
    about = certificate.about
    described = {column["name"]: column for column in certificate.columns}
    columns = [
        {
            "titles": name,
            "name": quote(name, safe=""),
            "datatype": _DATATYPES[kind],
            "null": "",
            **({"dc:description": about_column(described[name])} if name in described else {}),
        }
        for name, kind in kinds.items()
    ]
    return {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "url": data.name,
        **({"dc:title": about.title} if about.title else {}),
        "dc:description": about_release(certificate),
        **({"dc:publisher": about.owner} if about.owner else {}),
        **({"dc:issued": {"@value": certificate.date, "@type": "xsd:date"}} if certificate.date else {}),
        "dialect": {"delimiter": ",", "encoding": "utf-8", "header": True},
        "tableSchema": {"columns": columns},
    }
