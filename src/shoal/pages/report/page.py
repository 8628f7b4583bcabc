"""The owner's report: one self-contained page, summary first."""

from __future__ import annotations

import warnings
from functools import cached_property
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from shoal.files.owner_only import write_for_owner
from shoal.pages.report import people, sections
from shoal.pages.report.assessment import Assessment, assess
from shoal.pages.report.words import summary
from shoal.promises.containment import described

if TYPE_CHECKING:
    from shoal.release import Release

_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shoal: owner's report</title><style>$style</style></head><body>
<p class="owner" role="note">For the owner's eyes only: computed from the original records. Do not publish.</p>
<main>
<h1>What was released, and what it cost</h1>
<div class="summary">$summary</div>
$sections
</main></body></html>
""")


def failed_page(failure: str, why: str) -> str:
    """The report of a run that has none: what went wrong with the run, if anything, and with its report."""
    sentences = [
        *(
            [f"This run failed and published no records; its budget is spent. What went wrong: {failure}."]
            if failure
            else []
        ),
        f"The report could not be made: {why}. Please report this. The release beside it is not touched by that.",
    ]
    return _PAGE.substitute(
        style="", summary="".join(f"<p>{escape(sentence)}</p>" for sentence in sentences), sections=""
    )


class Report:
    """The report of a release; shows itself in a notebook."""

    def __init__(self, release: Release) -> None:
        self._release = release

    @cached_property
    def assessment(self) -> Assessment:
        """The numbers behind the pictures; for the owner only."""
        return assess(self._release.outcome, self._release.target)

    def save(self, path: str | Path) -> Path:
        """Write the page to a file that only its owner can read."""
        path = Path(path)
        write_for_owner(path, self.html())
        return path

    def keep(self, path: Path) -> None:
        """Write the page beside a release; of a paid one whose page cannot be made, a page that says why.

        What was paid for is not lost for want of a picture, and only the owner hears of it: it may be the records that
        made it fail.
        """
        release = self._release
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it may be the records that a picture is warned about
                page = self.html()
        except Exception as error:
            if not release.is_paid:
                raise
            page = failed_page(release.facts.failure, described(error))
        write_for_owner(path, page)

    def _repr_html_(self) -> str:
        framed = escape(self.html(), quote=True)
        return f'<iframe srcdoc="{framed}" style="width:100%;height:42rem;border:0" title="owner\'s report"></iframe>'

    def html(self) -> str:
        """The page."""
        release, assessment = self._release, self.assessment
        pieces = (
            sections.promises(release),
            sections.distributions(release.outcome, assessment),
            sections.recoding(release),
            sections.losses(release),
            sections.queries(assessment),
            sections.dependence(assessment),
            sections.accuracy(assessment),
            sections.class_sizes(release, assessment),
            people.population(assessment),
            people.households(assessment),
            sections.disclosure(assessment),
            sections.singled_out(assessment),
            sections.budget(release),
            sections.provenance(release),
        )
        return _PAGE.substitute(
            style=files("shoal.pages.report").joinpath("report.css").read_text(encoding="utf-8"),
            summary="".join(f"<p>{escape(sentence)}</p>" for sentence in summary(release, assessment)),
            sections="".join(pieces),
        )
