"""The verdict on attacks names the worst of what was found, and says what finding nothing does not prove."""

import numpy as np
import pytest

from shoal.attacks import EpsilonFound, InferenceFound, LinkageFound, MembershipFound, OverlapFound, Rate
from shoal.attacks.release.trying import Tried
from shoal.pages.attack import page
from shoal.pages.attack_verdict import attack_verdict
from shoal.pages.report.verdict import Level


def rate(value, trials=500):
    hits = round(value * trials)
    return Rate.of(np.repeat([1.0, 0.0], [hits, trials - hits]))


def linkage(value):
    return LinkageFound(rate(value), 1e-4, ("age", "town"), is_bound=False)


def inference(success, baseline, control=None, certain=None):
    others = None if control is None else rate(control)
    sure = None if certain is None else rate(certain)
    return InferenceFound("illness", rate(success), rate(baseline), sure, others, ("age", "town"))


CASES = {
    "little is found": (linkage(0.05), Level.FINE, "finds a person's record in 5.0% of cases, knowing 2 columns"),
    "records are found": (linkage(0.4), Level.WEIGH, "finds the person's record in 40% of cases"),
    "no doubt": (inference(0.5, 0.5, certain=0.1), Level.WEIGH, "About 10.0% of people the release leaves no doubt"),
    "the control tells": (inference(0.6, 0.3, 0.3), Level.WEIGH, "guessed right for 60%, that of people who are not"),
    "no worse than others": (inference(0.6, 0.3, 0.6), Level.FINE, "None of them found more"),
    "no control": (inference(0.6, 0.3), Level.WEIGH, "only a control group tells"),
    "membership": (MembershipFound(rate(0.9), rate(0.3), ("age",)), Level.WEIGH, "said of 90% of those who are"),
    "overlap": (OverlapFound("illness", rate(0.2), 2.0, 0.1, True), Level.WEIGH, "where nobody's should be"),
    "refuted": (EpsilonFound(3.0, 1.0, 0.0, (400, 10), 500, 100), Level.STOP, "The promise does not hold"),
    "kept": (EpsilonFound(0.5, 1.0, 0.0, (60, 50), 500, 100), Level.FINE, "None of them found more"),
}


@pytest.mark.parametrize(("found", "level", "words"), CASES.values(), ids=CASES)
def test_each_finding_has_its_weight(found, level, words):
    verdict = attack_verdict([Tried("attack", found), Tried("membership", why_not="It needs people.")])
    assert verdict.level is level
    assert len(verdict.sentences) == 3
    assert words in verdict.sentences[1]
    assert verdict.sentences[2].startswith("That an attack finds nothing does not prove")
    assert verdict.sentences[2].endswith("Not tried: membership.")


def test_the_worst_comes_first_and_the_verdict_stands_on_top_of_the_page():
    tried = [Tried("linkage", linkage(0.4)), Tried("epsilon", EpsilonFound(3.0, 1.0, 0.0, (400, 10), 500, 100))]
    verdict = attack_verdict(tried)
    assert "does not hold" in verdict.sentences[1]
    assert "40% of cases" in verdict.points[0]
    html = page(tried)
    assert html.index("Not to be published") < html.index("<h2>")


def test_nothing_tried_is_no_good_news():
    assert attack_verdict([Tried("linkage", why_not="no")]).level is Level.WEIGH
