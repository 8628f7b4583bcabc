"""Build the source distribution, and the wheel from it; install the wheel alone where nothing else is; and use it.

No extra is installed and nothing of this folder is on the path, so that a dependency that is not declared, or a file
that is not packaged, shows. `uv` must be on the path; `make wheel` brings it.

Run: python tools/wheel_trial.py [--resolution lowest-direct] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]

_METHODS = {
    "nsvdist": "k = 5\ndiversity = 2",  # its audit solves integer programs
    "mondrian": "k = 5",  # compiled kernels
    "safepub": "epsilon = 2.0\ndelta = 1e-4",  # a ledger
    "marginals": "epsilon = 2.0",
    "mdav": "k = 5",
}

_IMPORTS = """
import importlib, pkgutil, sys
import shoal
assert "site-packages" in shoal.__file__, shoal.__file__
lacking = {}
for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
    if module.name != "shoal.__main__":
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            lacking.setdefault(error.name.split(".")[0], []).append(module.name)
print("modules that need an extra:", {name: len(found) for name, found in lacking.items()})
assert set(lacking) <= {"nicegui", "starlette", "fastapi", "uvicorn", "sklearn"}, lacking
"""


def ran(*command: str | Path, folder: Path, environment: dict[str, str] | None = None) -> str:
    """Run a command that must succeed; what it printed."""
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def trial(folder: Path, resolution: str) -> None:
    """Build, install and use it below a folder."""
    ran("uv", "build", "--quiet", "--out-dir", folder / "dist", HOME, folder=folder)
    (wheel,), (source,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    for built in (wheel, source):
        print(f"{built.name}: {built.stat().st_size / 1e6:.1f} MB")
    ran("uv", "venv", "--quiet", "--python", sys.executable, folder / "alone", folder=folder)
    python, shoal = folder / "alone/bin/python", folder / "alone/bin/shoal"
    ran("uv", "pip", "install", "--quiet", "--resolution", resolution, "--python", python, wheel, folder=folder)
    bare = {"HOME": str(folder), "PATH": os.defpath, "LANG": "C.UTF-8"}
    print(ran(python, "-c", _IMPORTS, folder=folder, environment=bare).strip())
    ran(shoal, "demo", folder=folder, environment=bare)
    print(ran(shoal, "check", "demo/release", folder=folder, environment=bare).splitlines()[0])
    ran(shoal, "init", "demo/patients.csv", "-o", "guessed.toml", folder=folder, environment=bare)
    text = (folder / "demo/release.toml").read_text(encoding="utf-8")
    before, _, rest = text.partition("[method]")
    for name, parameters in _METHODS.items():
        plan = f'{before}[method]\nname = "{name}"\n{parameters}\n\n[output]{rest.partition("[output]")[2]}'
        if name in ("safepub", "marginals"):  # they publish no column as it is
            plan = plan.replace('role = "insensitive"', 'role = "identifier"')
        plan = plan.replace('path = "release/"', f'path = "{name}/"')
        (folder / "demo/trial.toml").write_text(plan, encoding="utf-8")
        ran(shoal, "run", "demo/trial.toml", folder=folder, environment=bare)
        print(ran(shoal, "check", f"demo/{name}", folder=folder, environment=bare).splitlines()[0])


def main() -> None:
    """Try it with this Python."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resolution", default="highest")
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True)
        trial(chosen.keep.resolve(), chosen.resolution)
        return
    with tempfile.TemporaryDirectory() as folder:
        trial(Path(folder), chosen.resolution)


if __name__ == "__main__":
    main()
