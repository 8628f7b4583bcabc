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


def both(desk, *said):
    """What a dry run and a run say on the screen; they end alike."""
    told, done = (desk.shoal("run", "release.toml", *said, *more) for more in (["--dry-run"], []))
    assert told.exit_code == done.exit_code
    return told, done


def test_a_dry_run_refuses_a_table_that_is_not_there_or_has_other_columns(desk):
    desk.write("people.csv", (desk.folder / "people.csv").read_text(encoding="utf-8").replace("town", "place", 1))
    told, done = both(desk)
    assert "'town' is declared and not in the data" in told.stderr
    assert told.stderr == done.stderr
    (desk.folder / "people.csv").unlink()
    told, done = both(desk)
    assert told.exit_code == 1
    assert "does not exist" in told.stderr


MARGINALS = '[method]\nname = "marginals"\nepsilon = 1.0\n'


@pytest.fixture
def counts(desk):
    """A release by marginals, whose books are in the folder."""
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    books = '\n[budget]\nledger = "books"\nlimit = { epsilon = 1.5, delta = 0 }\n'
    desk.change('[method]\nname = "optimal-lattice"\nk = 3\n', f"{MARGINALS}{books}")
    return desk


def test_a_dry_run_asks_the_ledger(counts):
    told, done = both(counts)
    assert "promised: 1-DP (proved)" in told.stdout
    assert "budget: 0 earlier releases of this dataset; epsilon = 1.5, delta = 0" in told.stdout
    assert done.exit_code == 0
    told, done = both(counts, "-o", "again")
    assert told.exit_code == 1
    assert "1 earlier release of this dataset took epsilon = 1" in told.stderr
    assert told.stderr == done.stderr


def test_a_number_of_records_in_the_release_file_makes_a_run_warn(counts):
    counts.change("epsilon = 1.0\n", "epsilon = 1.0\nexpected_records = 20\n")
    result = counts.shoal("run", "release.toml")
    assert result.exit_code == 0
    assert result.stderr.count("expect nothing of use") == 1
    assert result.stderr.startswith("warning: ")


def test_a_dry_run_says_that_one_record_of_each_person_takes_part(counts):
    counts.change('person = "row"', 'person = "name"')
    told = counts.done("run", "release.toml", "--dry-run", "--records", "300")
    assert "of each person one takes part, drawn at random" in told
    assert "mean the number of persons, 300 here" in told


def test_a_dry_run_refuses_what_a_run_refuses(desk):
    desk.change(
        '[method]\nname = "optimal-lattice"\nk = 3\n', '[method]\nname = "safepub"\nepsilon = 1.0\ndelta = 1e-6\n'
    )
    result = desk.shoal("run", "release.toml", "--dry-run")
    assert result.exit_code == 1
    assert result.exit_code == desk.shoal("run", "release.toml").exit_code
    assert result.stderr.startswith("error: ")


def test_a_dry_run_tells_every_criterion(desk):
    desk.change("k = 3\n", "k = 3\ndiversity = 2.0\n")
    told = desk.done("run", "release.toml", "--dry-run")
    assert "promised: 3-anonymous" in told
    assert "promised: no value of 'illness' has more than 1/2 of any class" in told
