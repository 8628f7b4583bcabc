"""The owner's report: one self-contained page, summary first."""

from __future__ import annotations

import warnings
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.files.owner_only import write_for_owner
from shoal.pages.report import people, risk, sections, usefulness
from shoal.pages.report.assessment import Assessment, assess
from shoal.pages.report.columns import columns
from shoal.pages.report.examples import examples
from shoal.pages.report.layout import about, owners_page
from shoal.pages.report.left_out import left_out
from shoal.pages.report.verdict import Verdict, verdict
from shoal.promises.containment import described

if TYPE_CHECKING:
    from shoal.release import Release

_NAME = "Shoal: owner's report"
_HEADING = "What was released, and what it cost"


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
    summary = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    return owners_page(_NAME, _HEADING, summary=summary, sections=())


class Report:
    """The report of a release; shows itself in a notebook."""

    def __init__(self, release: Release, *, whole: Report | None = None) -> None:
        self._release = release
        self._whole = whole

    def without_examples(self) -> Report:
        """The same report without records of the original; what was measured is not measured again."""
        return Report(self._release, whole=self)

    @cached_property
    def assessment(self) -> Assessment:
        """The numbers behind the pictures; for the owner only."""
        if self._whole is not None:
            return self._whole.assessment
        return assess(self._release.outcome, self._release.target)

    @cached_property
    def verdict(self) -> Verdict:
        """What the page says on top; for the owner only."""
        return verdict(self._release, self.assessment)

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
        return owners_page(
            _NAME,
            release.certificate.about.title or _HEADING,
            head=about(release.certificate, table=_called(release.rows.engine.where)),
            summary=self.verdict.html(),
            sections=(
                sections.promises(release),
                columns(release),
                examples(release) if self._whole is None else None,
                left_out(release, assessment),
                risk.class_sizes(release, assessment),
                risk.disclosure(release, assessment),
                people.population(assessment),
                people.households(assessment),
                risk.singled_out(assessment),
                usefulness.recoding(release),
                usefulness.distributions(release, assessment),
                usefulness.queries(assessment),
                usefulness.dependence(assessment),
                usefulness.accuracy(assessment),
                usefulness.losses(release),
                sections.budget(release),
                sections.provenance(release),
            ),
        )


def _called(where: str) -> str:
    """The name of a file without its folders; what is no file, as it is; nothing of a table that has no name."""
    if where == "the table":
        return ""
    return where if "://" in where else Path(where).name
