"""The bundled example: synthetic patients, hierarchies and a release file written by hand."""

from __future__ import annotations

import csv
import io
import json
from importlib.resources import files
from pathlib import Path


def write_example(folder: Path, patients: int = 5000, *, force: bool = False) -> Path:
    """Write patients.csv, hierarchies/ and release.toml into a folder; the path of release.toml.

    The schema of release files stands beside it, for editors.
    The same number of patients gives the same files everywhere. Nobody in them is real.
    """
    from shoal.examples.patients import COLUMNS, zip_codes
    from shoal.examples.patients import patients as generated
    from shoal.files.together import place_files
    from shoal.plan.json_schema import release_schema

    here = files(__name__)
    texts = {
        f"hierarchies/{name}.csv": (here / "hierarchies" / f"{name}.csv").read_text(encoding="utf-8")
        for name in ("occupation", "diagnosis")
    }
    regions = [(code, region, area, "*") for code, (region, area) in zip_codes().items()]
    texts["hierarchies/zip.csv"] = _csv([("level0", "level1", "level2", "level3"), *regions])
    texts["patients.csv"] = _csv([COLUMNS, *generated(patients)])
    texts["release.toml"] = (here / "release.toml").read_text(encoding="utf-8")
    texts["release.schema.json"] = json.dumps(release_schema(), indent=2, ensure_ascii=False) + "\n"
    place_files(folder, texts, force=force)
    return folder / "release.toml"


def _csv(rows: list[tuple[str, ...]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()
