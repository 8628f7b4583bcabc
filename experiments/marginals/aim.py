"""AIM as a referee of `queries.py`: McKenna et al. 2022, by the package dpmm, in an environment of its own.

    python -m venv referee && referee/bin/pip install dpmm
    python experiments/marginals/queries.py export FOLDER adult-9
    referee/bin/python experiments/marginals/aim.py FOLDER [megabytes] [iterations] [epsilon …]
    python experiments/marginals/queries.py referee FOLDER

Every table of the folder is released at ε = 1 and 0.1, if nothing else is said, δ = 1e-9, and written beside it. The
settings that its authors ask for in comparisons are 80 megabytes and 1,000 iterations, and take hours on tables with
many columns.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from dpmm.models.aim import AIMGM  # not a dependency of Shoal


def main() -> None:
    """Release every exported table."""
    folder = Path(sys.argv[1])
    megabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 4.0
    iterations = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    epsilons = [float(said) for said in sys.argv[4:]] or [1.0, 0.1]
    for path in sorted(folder.glob("*.table.npz")):
        found = np.load(path)
        names = [name for name in found.files if name != "sizes"]
        frame = pd.DataFrame({name: found[name].astype(int) for name in names})
        domain = dict(zip(names, found["sizes"].tolist(), strict=True))
        for epsilon in epsilons:
            start = time.perf_counter()
            model = AIMGM(
                epsilon=epsilon,
                delta=1e-9,
                n_iters=iterations,
                max_model_size=megabytes,
                degree=2,
                domain=domain,
                random_state=np.random.RandomState(0),
            )
            model.fit(frame)
            made = model.generate(n_records=len(frame))
            seconds = time.perf_counter() - start
            print(f"{path.name} epsilon = {epsilon}: {seconds:.0f} s", flush=True)
            columns = {name: made[name].to_numpy() for name in names}
            np.savez(folder / f"{path.name.removesuffix('.table.npz')}.{epsilon}.aim.npz", seconds=seconds, **columns)


if __name__ == "__main__":
    main()
