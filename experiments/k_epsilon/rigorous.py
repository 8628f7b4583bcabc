"""What the rigorous variants cost: measured relative error of the height beside that of the published method."""

from __future__ import annotations

from common import headline, published, run

import shoal

BY_SEX = (
    shoal.ClassBounds(column="height", lower=140, upper=187, where={"sex": "Female"}),
    shoal.ClassBounds(column="height", lower=150, upper=200, where={"sex": "Male"}),
)
VARIANTS = {
    "domain 130-220 (R1)": {},
    "bounds by sex (R1)": {"bounds": BY_SEX},
    "estimated, 10% (R2)": {"bounds_share": 0.1},
    "estimated, 25% (R2)": {"bounds_share": 0.25},
    "by sex, then 10% (R2)": {"bounds": BY_SEX, "bounds_share": 0.1},
}


def main() -> None:
    headline("Rigorous variants: measured relative error of the height, in per cent")
    epsilons = (0.5, 1, 2, 4, 8)
    for k in (20, 100):
        print(f"OLA, k = {k}\n{'':<24}" + " ".join(f"{f'eps {e}':>8}" for e in epsilons))
        rows = {"as published": [published(k, e, "OLA") for e in epsilons]}
        for what, settings in VARIANTS.items():
            rows[what] = [
                shoal.KEpsilon(epsilon=e, perturbed=("height",), anonymizer=shoal.OLA(k=k), **settings)
                for e in epsilons
            ]
        for what, methods in rows.items():
            cells = [100 * run(method).losses["relative error (height)"] for method in methods]
            print(f"{what:<24}" + " ".join(f"{cell:>8.2f}" for cell in cells), flush=True)
        print()


if __name__ == "__main__":
    main()
