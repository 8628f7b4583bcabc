"""A release made as `shoal run` makes it, into the private folder of the tab."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from shoal.progress import Progress
from shoal.promises.folder import owner_folder
from shoal.running import publish_to
from shoal.serve.work.looking import RELEASE_FILE


def run(folder: str, output: str, one_record_each: bool, *, progress: Progress) -> dict[str, Any]:
    """Make the release; what may be published of it, and for the owner what it cost."""
    base, where = Path(folder), Path(output)
    for old in (where, owner_folder(where)):
        shutil.rmtree(old, ignore_errors=True)
    release, where = publish_to(
        base / RELEASE_FILE, where, force=False, one_record_each=one_record_each, progress=progress
    )
    facts = release.facts
    return {
        "certificate": str(release.certificate),
        "guarantees": [str(guarantee) for guarantee in release.certificate.guarantees],
        "files": sorted(path.name for path in where.iterdir()),
        "owner_files": sorted(path.name for path in owner_folder(where).iterdir()),
        "is_paid": release.is_paid,
        "records": release.certificate.records,
        "columns": [dict(column) for column in facts.columns],
        "node": dict(release.recoding.levels),
        "needs": "" if release.certificate.records else release.needs,
        "owner": None
        if release.is_paid
        else {
            "records": facts.records,
            "suppressed": facts.suppressed,
            "losses": dict(facts.losses),
            "optimized": facts.optimized,
        },
    }
