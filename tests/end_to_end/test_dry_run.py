"""What a run would do is told from what is public: whatever the records are, and at nobody's expense."""

import json

import pytest
from desk import NAMES, listing, people

METHODS = {
    "safepub": 'name = "safepub"\nepsilon = 1.0\ndelta = 1e-6\n',
    "microaggregation-dp": 'name = "microaggregation-dp"\nepsilon = 0.1\n',
    "k-epsilon": 'name = "k-epsilon"\nepsilon = 1.0\nperturbed = ["age"]\nanonymizer = { name = "mondrian", k = 3 }\n',
}


@pytest.fixture(params=METHODS)
def private(desk, request):
    desk.write("people.csv", "\n".join([NAMES, *people(600)]))
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    books = '\n[budget]\nledger = "books"\n'
    desk.change('[method]\nname = "optimal-lattice"\nk = 3\n', f"[method]\n{METHODS[request.param]}{books}")
    return desk


def test_a_dry_run_writes_and_spends_nothing_and_sees_no_record(private):
    before = listing(private.folder)
    told = private.done("run", "release.toml", "--dry-run", "--records", "300")
    assert listing(private.folder) == before
    assert "Nothing was run, written or spent" in told
    assert "Warning:" in told
    assert "What would serve better:" in told
    private.write("people.csv", NAMES + "\n")  # nobody is there, and the same is told
    assert private.done("run", "release.toml", "--dry-run", "--records", "300") == told
    found = json.loads(private.done("run", "release.toml", "--dry-run", "--records", "300", "--json"))
    assert found["cost"]["epsilon"] in {0.1, 1.0}
    assert found["warnings"]
    assert found["figures"]


def test_a_run_warns_before_it_spends_and_goes_on(private):
    result = private.shoal("run", "release.toml", "--records", "300")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.startswith("warning: ")
    assert "better: " in result.stderr


def test_of_other_methods_a_dry_run_says_what_they_promise(desk):
    told = desk.done("run", "release.toml", "--dry-run")
    assert "3-anonymous" in told
    assert "nothing of a budget" in told
    assert not (desk.folder / "release").exists()
    desk.done("run", "release.toml")
    assert "--force" in desk.done("run", "release.toml", "--dry-run")


def test_a_dry_run_refuses_what_a_run_refuses(desk):
    desk.change(
        '[method]\nname = "optimal-lattice"\nk = 3\n', '[method]\nname = "safepub"\nepsilon = 1.0\ndelta = 1e-6\n'
    )
    result = desk.shoal("run", "release.toml", "--dry-run")
    assert result.exit_code == 1
    assert result.exit_code == desk.shoal("run", "release.toml").exit_code
    assert result.stderr.startswith("error: ")
