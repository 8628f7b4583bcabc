"""The examples of pipelines: all compile, and those whose programs are installed run."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.rglob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.relative_to(EXAMPLES).as_posix() for path in SCRIPTS])
def test_every_example_compiles(path):
    compile(path.read_text(encoding="utf-8"), str(path), "exec")


@pytest.fixture
def patients(tmp_path):
    """A folder with the demo, and what the examples ask the environment for."""
    from shoal.examples import write_example

    write_example(tmp_path / "demo")
    here = {"SHOAL_RELEASE_FILE": str(tmp_path / "demo/release.toml"), "HOME": str(tmp_path), "DAGSTER_HOME": ""}
    return {**os.environ, **here, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("dagster") is None, reason="Dagster is not installed")
def test_the_dagster_asset_is_made_and_checked(patients, tmp_path):
    script = EXAMPLES / "dagster/release_patients.py"
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=patients, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "holds  5-anonymous" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("dbt") is None, reason="dbt-duckdb is not installed")
def test_the_dbt_model_is_a_release(patients, tmp_path):
    import duckdb

    shutil.copytree(EXAMPLES / "dbt", tmp_path / "dbt")
    asked = patients | {"SHOAL_PATIENTS": str(tmp_path / "demo/patients.csv")}
    command = [Path(sys.executable).parent / "dbt", "build", "--profiles-dir", "."]
    done = subprocess.run(command, cwd=tmp_path / "dbt", env=asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(str(tmp_path / "dbt/warehouse.duckdb")) as warehouse:
        (smallest,) = warehouse.sql(
            "select min(n), sum(n) from (select count(*) as n from released_patients group by age, sex, zip, "
            "occupation, insurance, admission_date)"
        ).fetchall()
    assert smallest[0] >= 5
    assert smallest[1] > 4000


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("airflow") is None, reason="Airflow is not installed")
def test_the_airflow_dag_runs(patients, tmp_path):
    asked = patients | {
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(EXAMPLES / "airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    }
    program = Path(sys.executable).parent / "airflow"
    for arguments in (["db", "migrate"], ["dags", "test", "release_patients"]):
        done = subprocess.run(
            [program, *arguments], cwd=tmp_path, env=asked, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert (tmp_path / "demo/airflow-release/certificate.json").exists()
