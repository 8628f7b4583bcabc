"""The descriptions that go with a release, when they are asked for (`metadata` in [output])."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.promises.certificate import Certificate
from shoal.promises.describing.csvw import csvw
from shoal.promises.describing.data_package import data_package
from shoal.promises.describing.provenance import provenance
from shoal.promises.describing.published_types import published_kinds

_TYPED = (".csv", ".parquet")


def write_metadata(
    asked: Sequence[str], certificate: Certificate, folder: Path, data: Path | None, digests: Mapping[str, str]
) -> list[Path]:
    """Write descriptions of a release into its folder; the files.

    Args:
        asked: Which: `datapackage`, `csvw`, `prov`.
        certificate: What is promised.
        folder: Where to.
        data: The file with the records; none if they are in a database.
        digests: Those of the files that are there.
    """
    kinds = published_kinds(data) if data is not None and data.suffix in _TYPED else {}
    written: list[Path] = []
    for name in asked:
        match name:
            case "datapackage":
                path, content = folder / "datapackage.json", data_package(certificate, data, kinds, digests)
            case "csvw":
                assert data is not None, "a plan asks for it of CSV files alone"
                path, content = folder / f"{data.name}-metadata.json", csvw(certificate, data, kinds)
            case _:
                path, content = folder / "prov.json", provenance(certificate, digests)
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
        path.write_bytes(f"{text}\n".encode())
        written.append(path)
    return written
