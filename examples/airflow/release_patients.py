"""A DAG that tells what a release would do, makes it, and checks it from the published files alone."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from airflow.exceptions import AirflowFailException
from airflow.sdk import dag, task

RELEASE_FILE = Path(os.environ.get("SHOAL_RELEASE_FILE", "demo/release.toml")).resolve()
FOLDER = RELEASE_FILE.parent / "airflow-release"


def shoal(*arguments: str | Path) -> str:
    """Run a command; it fails for good, because what Shoal refuses it refuses again."""
    done = subprocess.run(["shoal", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AirflowFailException(f"shoal {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


@dag(schedule=None, start_date=datetime(2026, 1, 1, tzinfo=UTC), catchup=False, default_args={"retries": 0})
def release_patients() -> None:
    """From the release file under version control to a release that was checked."""

    @task
    def expect() -> str:
        """What it would do, cost and give, by what is public: no record is read, nothing is spent."""
        return shoal("run", RELEASE_FILE, "--dry-run", "--json")

    @task
    def release() -> str:
        """The release; `--force` replaces that of the run before."""
        shoal("run", RELEASE_FILE, "-o", FOLDER, "--force", "--json")
        return str(FOLDER)

    @task
    def check(folder: str) -> str:
        """Whatever is promised and can be verified, verified again."""
        return shoal("check", folder, "--json")

    released = release()
    expect() >> released >> check(released)


release_patients()
