"""Whoever pays gets a release: what can be known beforehand is known before the charge.

Either a request is refused in a sentence and the ledger is as it was, or it is charged and there is a release. The one
other end is the law of the mechanism itself: it may come out with nothing, and says that this is spent.
"""

import errno
import json
import os
import signal
import subprocess
import warnings
from contextlib import nullcontext
from pathlib import Path

import pytest
from desk import NAMES, listing, people

from shoal.cli import run
from shoal.errors import OutputError
from shoal.files.folders import require_writable
from shoal.pages.report.page import Report
from shoal.progress import silent

METHODS = {
    "safepub": """
        name = "safepub"
        epsilon = EPSILON
        delta = DELTA
        """,
    "safepub, one scheme": """
        name = "safepub"
        epsilon = EPSILON
        delta = DELTA
        schemes = [{ age = 3, town = 1, day = 3 }]
        """,
    "safepub, half": """
        name = "safepub"
        epsilon = EPSILON
        delta = DELTA
        sampling_rate = 0.5
        """,
    "safepub, as published": """
        name = "safepub"
        epsilon = EPSILON
        delta = DELTA
        mode = "as_published"
        steps = 5
        """,
    "diffgen": """
        name = "diffgen"
        epsilon = EPSILON
        target = "illness"
        """,
    "diffgen, max": """
        name = "diffgen"
        epsilon = EPSILON
        target = "illness"
        utility = "max"
        specializations = 3
        """,
    "diffgen, as published": """
        name = "diffgen"
        epsilon = EPSILON
        target = "illness"
        mode = "as_published"
        specializations = 3
        """,
    "diffgen, tuned": """
        name = "diffgen"
        epsilon = EPSILON
        target = "illness"
        tune = [1, 2]
        """,
    "diffgen, all for the search": """
        name = "diffgen"
        epsilon = EPSILON
        target = "illness"
        search_share = 0.98999999
        """,
    "k-epsilon": """
        name = "k-epsilon"
        epsilon = EPSILON
        perturbed = ["age"]
        """,
    "k-epsilon, estimated bounds": """
        name = "k-epsilon"
        epsilon = EPSILON
        perturbed = ["age"]
        bounds_share = 0.999
        """,
    "pram": """
        name = "pram"
        epsilon = EPSILON
        perturbed = ["age", "illness"]
        anonymizer = { name = "ola", k = 3 }
        """,
    "microaggregation": """
        name = "microaggregation-dp"
        epsilon = EPSILON
        """,
    "microaggregation, Gaussian": """
        name = "microaggregation-dp"
        epsilon = EPSILON
        delta = DELTA
        """,
    "microaggregation, as published": """
        name = "microaggregation-dp"
        epsilon = EPSILON
        mode = "as_published"
        columns = 4
        k = 50
        """,
}


def asked(name, epsilon="1.0", delta="1e-5", more=""):
    """A method as a release file says it."""
    return METHODS[name].replace("EPSILON", epsilon).replace("DELTA", delta) + more + "\n"


EPSILONS = ["1e-300", "9.9e-10", "1e-9", "1e-5", "700.0", "1e4", "10001.0", "1e6", "1e300"]
DELTAS = ["1e-300", "1e-100", "0.999999"]

LONGEST = 120
"""Seconds, on a machine with other things to do; what hangs, hangs for good."""


@pytest.fixture
def private(desk, monkeypatch):
    """A table, and a way to say which method publishes it; reports are left out, since they take longest."""
    desk.write("people.csv", "\n".join([NAMES, *people(300), ""]))
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    monkeypatch.setattr(Report, "html", lambda _self: "report")
    before = (desk.folder / "release.toml").read_text(encoding="utf-8")

    def said(method):
        ledger = '\n[budget]\nledger = "books"\n'
        desk.write("release.toml", before.replace('name = "optimal-lattice"\nk = 3\n', method + ledger))
        return desk

    return said


def spent(desk):
    if not (desk.folder / "books").exists():
        return []
    return json.loads(desk.done("ledger", "people.csv", "--store", "books", "--json"))["releases"]


def hangs(*_):
    raise AssertionError("it hangs")


def check_bargain(desk):
    """Run; either nothing was spent, or there is a release, or the mechanism says that it came out with nothing."""
    signal.signal(signal.SIGALRM, hangs)
    signal.alarm(LONGEST)
    try:
        result = desk.shoal("run", "release.toml")
    finally:
        signal.alarm(0)
    assert "failed where it should not" not in result.output
    charged, released = len(spent(desk)), (desk.folder / "release" / "certificate.json").exists()
    if result.exit_code == 0:
        assert (charged, released) == (1, True)
    else:
        assert result.exit_code in (1, 2), result.output
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1
        came_to_nothing = "so there is nothing to publish; the budget is spent" in result.stderr
        assert (charged, released) == (int(came_to_nothing), False), result.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="an alarm")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_an_extreme_epsilon_is_refused_or_gives_a_release(private, name, epsilon):
    check_bargain(private(asked(name, epsilon)))


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="an alarm")
@pytest.mark.parametrize("name", [name for name, said in METHODS.items() if "DELTA" in said])
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", ["1e-9", "1.0", "1e4"])
def test_an_extreme_delta_is_refused_or_gives_a_release(private, name, epsilon, delta):
    check_bargain(private(asked(name, epsilon, delta)))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("epsilon", "why"),
    [("9.9e-10", "between 1e-09 and 10000; .* noise drowns"), ("1e6", "between 1e-09 and 10000; .* nothing would be")],
)
def test_an_epsilon_outside_of_its_range_is_misuse(private, name, epsilon, why, matches):
    desk = private(asked(name, epsilon))
    matches(why, desk.refused("run", "release.toml", code=2))


# What the release cannot be made of, by what is public

PUBLIC = {
    "noise too wide": (asked("microaggregation", "1e-9"), "wider than 2\\^40 steps.*nothing was spent", 1),
    "too few records for k": (asked("microaggregation", more="k = 301"), "more than the table has", 1),
    "too few classes for k": (asked("k-epsilon", more="anonymizer = { name = 'mdav', k = 301 }"), "k", 1),
    "everything left out": (
        asked("k-epsilon", more="anonymizer = { name = 'ola', k = 301, suppression_limit = 1.0 }"), "k", 1,
    ),
    "bounds of nobody": (
        asked("k-epsilon", more="bounds = [{ column = 'age', from = 1, to = 9, where = { town = 'Rom' } }]"),
        "town.*Rom",
        1,
    ),
    "bounds outside": (
        asked("k-epsilon", more="bounds = [{ column = 'age', from = 300, to = 400 }]"), "outside", 1,
    ),
    "a class too large to compare schemes by": (asked("safepub", "1e-6"), "more than 16,777,216 records", 2),
    "a rate near 1": (
        asked("safepub", more="sampling_rate = 0.9999999999"), "more than 1,000,000", 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PUBLIC)
def test_a_refusal_by_what_is_public_costs_nothing(private, case, matches):
    method, why, code = PUBLIC[case]
    desk = private(method)
    matches(why, desk.refused("run", "release.toml", code=code))
    assert spent(desk) == []


def test_a_value_of_an_unprotected_column_that_is_not_in_its_domain_costs_nothing(private, matches):
    desk = private(asked("k-epsilon"))
    desk.write("people.csv", "\n".join([NAMES, *people(300), "x,30,Rom,2024-01-01,flu,note", ""]))
    matches("town", desk.refused("run", "release.toml"))


# Where it cannot be written

PAYING = asked("microaggregation")


@pytest.mark.parametrize(
    "place",
    ["people.csv/release", "/proc/release", "/proc/self/release", "n" * 300, "n" * 250, "n" * 240, "é" * 125,
     "/".join(["deep" * 40] * 30)],
    ids=["in a file", "in /proc", "in a process", "name", "owner's name", "staged name", "bytes of a name", "path"],
)  # fmt: skip
def test_an_output_that_cannot_be_written_costs_nothing(private, place):
    desk = private(PAYING)
    desk.refused("run", "release.toml", "-o", place)
    assert spent(desk) == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO])
def test_a_disk_that_takes_nothing_costs_nothing(private, monkeypatch, code):
    desk = private(PAYING)

    def full(_handle):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("shoal.files.folders.os.fsync", full)
    desk.refused()
    assert not (desk.folder / "books").exists()


def test_a_disk_with_less_room_than_the_table_takes_costs_nothing(private, monkeypatch, matches):
    desk = private(PAYING)
    monkeypatch.setattr("shoal.files.folders.shutil.disk_usage", lambda _path: type("Usage", (), {"free": 1 << 19}))
    matches(r"about 1,048,576 bytes are needed, and 524,288 are free", desk.refused())
    assert not (desk.folder / "books").exists()


def test_a_small_disk_that_is_full_costs_nothing(private, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", disk], check=False, capture_output=True)
    if made.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        desk = private(PAYING)
        assert "space" in desk.refused("run", "release.toml", "-o", disk / "release")
        assert spent(desk) == []
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_place_where_a_disk_is_mounted_is_not_replaced(private, monkeypatch, matches):
    desk = private(PAYING)
    desk.done("run", "release.toml")
    monkeypatch.setattr(Path, "is_mount", lambda path: path.name == "release")
    before = spent(desk)
    matches("a disk is mounted", desk.refused("run", "release.toml", "--force"))
    assert spent(desk) == before


def test_what_another_user_owns_in_a_shared_folder_is_not_replaced(tmp_path, monkeypatch):
    target = tmp_path / "shared" / "release"
    target.mkdir(parents=True)
    target.parent.chmod(0o1777)
    monkeypatch.setattr("shoal.files.folders.os.geteuid", lambda: target.stat().st_uid + 1)
    with pytest.raises(OutputError, match="belongs to another user"):
        require_writable({target: ("data.csv",)}, force=True)


def test_trying_leaves_no_trace(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "data.csv").write_text("kept")
    before = listing(tmp_path)
    require_writable(
        {tmp_path / "new" / "deep": ("data.csv", "README.md"), tmp_path / "old": ("data.csv",)}, force=True
    )
    assert listing(tmp_path) == before


# The report


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("Smith"), OSError(errno.ENOENT, "no font"), MemoryError()], ids=repr
)
def test_a_report_that_fails_loses_no_release_and_only_the_owner_hears_of_it(private, monkeypatch, error):
    desk = private(PAYING)
    expected = desk.done("run", "release.toml", "-o", "one").replace("one", "two")

    def fails(_self):
        warnings.warn("a picture of Smith", stacklevel=1)
        raise error

    monkeypatch.setattr(Report, "html", fails)
    result = desk.shoal("run", "release.toml", "-o", "two")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[:1] == expected.splitlines()[:1]
    assert (desk.folder / "two" / "data.csv").exists()
    page = (desk.folder / "two-owner" / "report.html").read_text(encoding="utf-8")
    assert type(error).__name__ in page
    assert "Smith" not in page
    assert [release["released_at"] is not None for release in spent(desk)] == [True, True]


def test_a_warning_about_a_picture_is_not_shown(private, monkeypatch):
    desk = private(PAYING)

    def warns(_self):
        warnings.warn("a picture of Smith", stacklevel=1)
        return "report"

    monkeypatch.setattr(Report, "html", warns)
    assert desk.shoal("run", "release.toml").stderr == ""


def test_a_run_with_a_cost_is_paid_for_and_says_nothing_of_what_it_compiles(private, monkeypatch):
    desk, asked = private(PAYING), []
    monkeypatch.setattr(run, "progress_bar", lambda **how: asked.append(how) or nullcontext(silent))
    desk.done("run", "release.toml")
    assert asked == [{"is_paid": True}]
