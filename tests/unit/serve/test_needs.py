"""Every need starts with a method that there is, and parameters that it takes; what is still asked for is plain."""

import pytest

from shoal.plan.method import missing_parameters, parameters_of
from shoal.serve.needs import NEEDS, need_of, with_groups
from shoal.serve.texts import words

ASKED = {"classifier": ["target"], "counts": ["target"], "both": ["perturbed"]}


@pytest.mark.parametrize("need", NEEDS)
def test_a_need_is_a_request_that_can_be_made(need):
    start = dict(NEEDS[need])
    name = start.pop("name")
    assert set(start) <= set(parameters_of(name))
    assert missing_parameters(name, start) == ASKED.get(need, [])
    assert {f"need {need}", f"need {need} why"} <= set(words("en"))


@pytest.mark.parametrize("need", NEEDS)
def test_a_need_is_found_again_in_the_release_file(need):
    content = {"method": dict(NEEDS[need]), "output": {"groups": True}}
    with_groups(content, need)
    assert need_of(content, is_paid=need != "syntactic") == need
    assert content["output"].get("groups", False) is (need == "counts")


def test_other_methods_serve_the_first_need_or_none():
    assert need_of({"method": {"name": "mondrian"}}, is_paid=False) == "syntactic"
    assert need_of({"method": {"name": "pram"}}, is_paid=True) is None
