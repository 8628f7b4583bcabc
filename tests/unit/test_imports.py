"""What is not needed is not loaded: the library starts fast, and a CSV file does not wake pandas."""

import subprocess
import sys

import pytest

import shoal

HEAVY = (
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "narwhals",
    "rich",
    "typer",
    "hypothesis",
    "mpmath",
    "pydantic",
    "numba",
    "matplotlib",
)


def loaded(program, *arguments):
    """The packages that a program has loaded at its end, of those that are heavy."""
    report = f"import sys\n{program}\nsys.stderr.write(' '.join(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", report, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def test_importing_the_library_loads_nothing_heavy():
    assert loaded("import shoal") == set()


def test_importing_the_library_loads_the_rest_when_it_is_used():
    program = "import sys, shoal\nassert 'numpy' not in sys.modules\nshoal.Schema()\nassert 'numpy' in sys.modules"
    assert loaded(program) == set()


def test_a_name_that_is_not_there_is_refused_as_by_any_module():
    with pytest.raises(AttributeError, match="module 'shoal' has no attribute 'nothing'"):
        _ = shoal.nothing
    assert {"SafePub", "dp", "__all__"} <= {*dir(shoal), "__all__"}
    assert shoal.audit.__name__ == "shoal.audit"


def test_all_that_the_library_exports_is_there():
    for name in shoal.__all__:
        assert getattr(shoal, name) is not None
    assert sorted(shoal.__all__) == sorted(set(shoal.__all__))


def test_printing_the_help_loads_no_table_engine():
    program = "from shoal.cli.main import app\napp(['--help'], standalone_mode=False)"
    assert loaded(program) <= {"typer", "rich"}


def test_a_command_reads_its_options_without_what_typer_has_for_others(tmp_path):
    (tmp_path / "x.toml").write_text("")
    program = (
        "from shoal.cli.main import main\nsys.argv[1:] = ['run', sys.argv[1], '--engine', 'local', '--memory', '2GB']\n"
        "sys.stderr, told = open('/dev/null', 'w'), sys.stderr\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 2\nsys.stderr = told"
    )
    assert "pydantic" not in loaded(program, tmp_path / "x.toml")


@pytest.mark.parametrize(("wanted", "threads"), [(None, "1"), ("2", "2")])
def test_a_command_multiplies_matrices_in_one_thread_unless_told_otherwise(monkeypatch, wanted, threads):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if wanted is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", wanted)
    program = (
        "import os, sys\nfrom shoal.cli.main import main\nassert 'numpy' not in sys.modules\n"
        "sys.argv[1:] = ['--version']\ntry:\n    main()\nexcept SystemExit:\n"
        "    print(os.environ['OPENBLAS_NUM_THREADS'])"  # NumPy reads it when it is loaded, which is later
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert told.split()[-1] == threads


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("role", ["identifier", "dropped", "insensitive"])
def test_a_run_on_files_loads_no_data_frames(tmp_path, form, role):
    (tmp_path / "people.csv").write_text(
        "age,town,note\n" + "".join(f"{20 + i % 4},{'AB'[i % 2]},n{i}\n" for i in range(40))
    )
    (tmp_path / "release.toml").write_text(
        f"""
        [data]
        path = "people.csv"
        [columns.age]
        role = "quasi-identifier"
        [columns.town]
        role = "quasi-identifier"
        domain = ["A", "B"]
        [columns.note]
        role = "{role}"
        unlinkable = {"true" if role == "insensitive" else "false"}
        [method]
        name = "optimal-lattice"
        k = 3
        [output]
        format = "{form}"
        """
    )
    program = (
        "from pathlib import Path\nfrom shoal.promises.checking import check_release\n"
        "from shoal.pipeline import publish\nfrom shoal.plan.plan import Plan\n"
        "plan = Plan.load(Path(sys.argv[1]))\nfolder = Path(sys.argv[1]).parent / 'release'\n"
        "folder.mkdir()\n"
        "release = publish(plan)\nrelease.write_data(folder / f'data.{plan.format}')\n"
        "(folder / 'certificate.json').write_text(release.certificate.to_json())\nrelease.report().html()\n"
        "check_release(folder)"
    )
    assert loaded(program, tmp_path / "release.toml") == {"pyarrow"}


def test_a_run_loads_its_own_method_and_not_the_whole_library(tmp_path):
    (tmp_path / "people.csv").write_text("age\n" + "".join(f"{20 + i % 4}\n" for i in range(40)))
    (tmp_path / "release.toml").write_text(
        '[data]\npath = "people.csv"\n[columns.age]\nrole = "quasi-identifier"\n'
        '[method]\nname = "optimal-lattice"\nk = 3\n'
    )
    program = (
        "import atexit, sys\nfrom shoal.cli.main import main\nsys.argv[1:] = ['run', sys.argv[1]]\n"
        "loaded = lambda: ' '.join(name for name in sys.modules if name.startswith('shoal'))\n"
        "atexit.register(lambda: sys.stderr.write(loaded()))\nmain()"  # which ends the process
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "release.toml")], capture_output=True, text=True, check=True
    )
    modules = done.stderr.split()
    assert "shoal.methods.full_domain" in modules
    assert "shoal.api" not in modules
    assert not [name for name in modules if name.startswith(("shoal.methods.diffgen", "shoal.methods.marginals"))]
