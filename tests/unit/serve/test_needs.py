"""Every need starts with a method that there is, and parameters that it takes; what is still asked for is plain."""

import pytest

from shoal.plan.method import missing_parameters, parameters_of
from shoal.serve.needs import NEEDS
from shoal.serve.texts import words

ASKED = {"classifier": ["target"], "both": ["perturbed"]}


@pytest.mark.parametrize("need", NEEDS)
def test_a_need_is_a_request_that_can_be_made(need):
    start = dict(NEEDS[need])
    name = start.pop("name")
    assert set(start) <= set(parameters_of(name))
    assert missing_parameters(name, start) == ASKED.get(need, [])
    assert {f"need {need}", f"need {need} why"} <= set(words("en"))
