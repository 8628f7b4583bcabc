"""What an installation takes on disk, package by package, and what each extra adds: the tables of docs/install.md.

Every environment is made anew from the registry with `uv`, which must be on the path. Megabytes are of 10^6 bytes, of
files as they are installed, without what Python compiles of them later.

Run: python tools/install_sizes.py [EXTRA ...]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import distributions
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
_OWN = ("dev", "people", "newcomer", "peers")
"""Extras of those who work on Shoal."""


def installed(what: str) -> dict[str, float]:
    """The megabytes of each package in an environment of its own that has only this, the largest first."""
    with tempfile.TemporaryDirectory() as folder:
        for command in (["venv", folder], ["pip", "install", "--no-config", "--python", f"{folder}/bin/python", what]):
            subprocess.run(["uv", "--quiet", *command], check=True)
        (site,) = Path(folder).glob("lib/python*/site-packages")
        sizes = {
            found.metadata["Name"]: sum(
                path.stat().st_size for file in found.files or () if (path := Path(str(file.locate()))).is_file()
            )
            / 1e6
            for found in distributions(path=[str(site)])
        }
    return dict(sorted(sizes.items(), key=lambda each: -each[1]))


def main() -> None:
    """Print both tables."""
    declared = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    extras = sys.argv[1:] or [name for name in declared if name not in _OWN]
    plain = installed(str(HOME))
    print(f"pip install shoal: {sum(plain.values()):.0f} MB")
    for name, size in plain.items():
        print(f"  {name:<24}{size:7.1f}")
    for extra in extras:
        added = {name: size for name, size in installed(f"{HOME}[{extra}]").items() if name not in plain}
        largest = ", ".join(f"{name} {size:.0f}" for name, size in list(added.items())[:4])
        print(f"shoal[{extra}]: {sum(added.values()):.0f} MB more ({largest})")


if __name__ == "__main__":
    main()
