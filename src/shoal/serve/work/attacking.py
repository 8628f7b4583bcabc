"""Attacks on the release that was made, as `shoal attack` tries them: for the owner's eyes only.

Only on releases without a price. Of a private method nothing is shown but what was paid for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.attacks.release import Options, open_attacked, try_all
from shoal.errors import ParameterError
from shoal.files.owner_only import write_for_owner
from shoal.methods.parts.declared import is_paid
from shoal.pages.attack import page
from shoal.pages.attack_verdict import attack_verdict
from shoal.plan.plan import Plan
from shoal.progress import Progress
from shoal.promises.folder import owner_folder
from shoal.serve.work.looking import RELEASE_FILE

ATTACK_PAGE = "attack.html"


def attack(folder: str, output: str, *, progress: Progress) -> dict[str, Any]:
    """Try what fits the release and needs nobody else's records; its page is left beside the owner's report."""
    where = Path(output)
    plan = Plan.load(owner_folder(where) / RELEASE_FILE, Path(folder))
    if is_paid(plan.method):
        raise ParameterError(
            f"{plan.method.name} is differentially private, and what attacks find is not paid for; `shoal attack` "
            "tries them."
        )
    original = plan.data.path
    if not isinstance(original, Path):
        raise ParameterError("attacks here need a table in a file; `shoal attack` takes others.")
    attacked = open_attacked(where, original, progress=progress)
    tried = try_all(attacked, Options(seconds=0.0), progress=progress)
    found = owner_folder(where) / ATTACK_PAGE
    found.unlink(missing_ok=True)  # a release that is kept may share the file
    write_for_owner(found, page(tried, (), attacked.certificate))
    verdict = attack_verdict(tried)
    return verdict.to_dict()
