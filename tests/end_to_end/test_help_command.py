"""`shoal help NAME`, and what shells complete."""

import json

import pytest
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.parameters.lists import listed_parameters
from shoal.plan.parameter_help import KINDS, helped

NAMES = [name for registry in KINDS.values() for name in registry.own]


def test_all_that_can_be_named_is_listed(desk):
    printed = desk.done("help")
    assert all(f"\n  {name} " in printed for name in NAMES)


def test_the_help_of_each_tells_all_parameters_in_lines_that_fit():
    for registry in KINDS.values():
        for name, kind in registry.own.items():
            lines = helped(name)
            printed = "\n".join(lines)
            assert printed.startswith(f"{name} (")
            assert max(map(len, lines)) <= 100
            for parameter in listed_parameters(kind):
                assert f"\n  {parameter.name}: " in printed
                assert parameter.meaning.split()[0] in printed


def test_the_help_of_a_method_says_what_must_be_given_what_it_promises_and_where_it_is_from(desk):
    printed = desk.done("help", "safepub")
    assert 'mode: "rigorous" or "as_published"; default "rigorous"' in printed
    assert "Guarantee: (ε, δ)-DP under add/remove-one-record" in printed
    assert "Paper: SafePub" in printed
    assert printed.endswith('  name = "safepub"\n  epsilon = …\n  delta = …\n')
    told = json.loads(desk.done("help", "safepub", "--json"))
    assert told["parameters"][0] | {"expected": ""} == {
        "name": "epsilon",
        "expected": "",
        "required": True,
        "default": None,
        "meaning": "The whole budget ε: the smaller it is, the less one record can change what is published.",
    }


def test_a_name_that_is_not_known_is_refused_with_the_nearest(desk, matches):
    matches(
        r"no method, quality model or criterion 'safepup'\. Did you mean 'safepub'\?",
        desk.refused("help", "safepup", code=2),
    )


@pytest.mark.parametrize(
    ("typed", "offered"),
    [(["shoal", "he"], {"help"}), (["shoal", "help", "safe"], {"safepub"}), (["shoal", "run", "--dry"], {"--dry-run"})],
)
def test_shells_complete_commands_names_and_options(typed, offered):
    asked = {"_SHOAL_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(typed), "COMP_CWORD": str(len(typed) - 1)}
    printed = CliRunner().invoke(app, env=asked, prog_name="shoal").output
    assert set(printed.split()) == offered


def test_a_shell_is_told_how_to_complete(monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    printed = CliRunner().invoke(app, ["--show-completion", "bash"], prog_name="shoal").output
    assert "_SHOAL_COMPLETE=complete_bash" in printed
