"""Every need starts with a method that there is, and parameters that it takes; what is still asked for is plain."""

import pytest

from shoal.plan.method import missing_parameters, parameters_of
from shoal.serve.needs import NEEDS, need_of
from shoal.serve.texts import words

ASKED = {"classifier": ["target"], "both": ["perturbed"]}


@pytest.mark.parametrize("need", NEEDS)
def test_a_need_is_a_request_that_can_be_made(need):
    start = dict(NEEDS[need])
    name = start.pop("name")
    assert set(start) <= set(parameters_of(name))
    assert missing_parameters(name, start) == ASKED.get(need, [])
    assert {f"need {need}", f"need {need} why"} <= set(words("en"))


def test_a_need_is_found_again_by_its_method_and_others_serve_the_first_or_none():
    assert [need_of(start["name"], is_paid=True) for start in NEEDS.values()] == list(NEEDS)
    assert need_of("mondrian", is_paid=False) == "syntactic"
    assert need_of("pram", is_paid=True) is None
