"""What the report of every method must do: three sentences on top, every column in words, records where they belong."""

import cases
import pytest

from shoal.pages.report.verdict import Level
from shoal.promises.guarantee import Basis

ALL = [
    pytest.param(case, id=f"{name}-{number}")
    for name, some in cases.CASES.items()
    for number, case in enumerate(some, start=1)
]


@pytest.mark.parametrize("case", ALL)
def test_a_report_has_a_verdict_and_calls_nothing_fine_that_is_neither_proved_nor_verified(case):
    release = case.anonymize(cases.table())
    report = release.report()
    page, verdict, bases = report.html(), report.verdict, {g.basis for g in release.certificate.guarantees}
    assert len(verdict.sentences) == (3 if release.certificate.records else 2)
    assert all(sentence.endswith((".", ")")) for sentence in verdict.sentences)
    if not bases & {Basis.PROVED, Basis.VERIFIED} or Basis.MEASURED in bases:
        assert verdict.level is not Level.FINE
    seen_through = [one.after for one in report.assessment.disclosure if one.after.homogeneous > 0]
    if seen_through and not release.counts_are_noisy and release.certificate.records:
        assert verdict.level is not Level.FINE
    assert "level 1 of" not in page
    for column in release.facts.columns:
        assert column["recoding"]
    assert page.count("<section ") == page.count("</section>") == page.count('<li><a href="#')
