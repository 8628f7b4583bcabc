"""A release made as `shoal run` makes it, into the private folder of the tab."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from shoal.progress import Progress
from shoal.promises.folder import owner_folder
from shoal.release import Release
from shoal.running.publishing import publish_to
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
        "guarantees": list(release.certificate.promised),
        "assumptions": list(release.certificate.assumptions),
        "files": sorted(path.name for path in where.iterdir()),
        "owner_files": sorted(path.name for path in owner_folder(where).iterdir()),
        "is_paid": release.is_paid,
        "records": release.certificate.records,
        "columns": [{key: column[key] for key in ("name", "role", "recoding")} for column in facts.columns],
        "node": dict(release.recoding.levels),
        "needs": "" if release.certificate.records else release.needs,
        "owner": None if release.is_paid else _for_owner(release),
    }


def _for_owner(release: Release) -> dict[str, Any]:
    """What the owner's report says, in a few figures; only of releases that have no price."""
    facts, report = release.facts, release.report()
    risk = report.assessment.risk
    return {
        "records": facts.records,
        "suppressed": facts.suppressed,
        "losses": dict(facts.losses),
        "optimized": facts.optimized,
        "verdict": report.verdict.to_dict(),
        "classes": None if risk is None else risk.after.classes,
        "smallest": None if risk is None else risk.after.smallest,
        "risk": None if risk is None else risk.after.prosecutor.average,
    }
