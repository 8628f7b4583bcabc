"""An asset that is a release, with its certificate as metadata, and a check of it from the published files alone."""

import json
import os
import subprocess
from pathlib import Path

from dagster import (
    AssetCheckResult,
    Definitions,
    Failure,
    MaterializeResult,
    MetadataValue,
    asset,
    asset_check,
    materialize,
)

RELEASE_FILE = Path(os.environ.get("SHOAL_RELEASE_FILE", "demo/release.toml")).resolve()
FOLDER = RELEASE_FILE.parent / "dagster-release"


def shoal(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run a command."""
    return subprocess.run(["shoal", *map(str, arguments)], capture_output=True, text=True, check=False)


@asset
def release() -> MaterializeResult:
    """The released patients; `--force` replaces those of the run before."""
    done = shoal("run", RELEASE_FILE, "-o", FOLDER, "--force")
    if done.returncode:
        raise Failure(f"shoal run ended with {done.returncode}: {done.stderr.strip()}", allow_retries=False)
    certificate = json.loads((FOLDER / "certificate.json").read_text(encoding="utf-8"))
    return MaterializeResult(
        metadata={
            "records": certificate["records"],
            "method": certificate["method"]["name"],
            "promised": MetadataValue.md("\n".join(f"- {one['statement']}" for one in certificate["guarantees"])),
            "folder": MetadataValue.path(FOLDER),
        }
    )


@asset_check(asset=release)
def promises_hold() -> AssetCheckResult:
    """Whatever is promised and can be verified, verified again."""
    done = shoal("check", FOLDER)
    return AssetCheckResult(passed=done.returncode == 0, metadata={"said": done.stdout or done.stderr})


defs = Definitions(assets=[release], asset_checks=[promises_hold])

if __name__ == "__main__":
    result = materialize([release, promises_hold])
    (checked,) = result.get_asset_check_evaluations()
    print(checked.metadata["said"].value)
    raise SystemExit(0 if result.success and checked.passed else 1)
