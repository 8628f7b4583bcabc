"""Table 2: the class attributes and how many values they have, in the data and in the hierarchies."""

from __future__ import annotations

from common import ADULT, DATA, FARS, headline, leaves, rows

PAPER = (
    ("USC", ADULT, "adult_arx/hierarchies_safepub/marital-status.csv", "marital-status", 8),
    ("USC", ADULT, "adult_arx/hierarchies_safepub/salary-class.csv", "salary-class", 2),
    ("CS", FARS, "fars/hierarchies_safepub/ihispanic.csv", "ihispanic", 10),
    ("CS", FARS, "fars/hierarchies_safepub/irace.csv", "irace", 20),
    ("TUS", None, "atus/hierarchies/Marital_status.csv", "Marital status", 7),
    ("TUS", None, "atus/hierarchies/Sex.csv", "Sex", 3),
    ("HI", None, "ihis/hierarchies_safepub/MARSTAT.csv", "MARSTAT", 10),
    ("HI", None, "ihis/hierarchies_safepub/EDUC.csv", "EDUC", 26),
)


def main() -> None:
    """Print the table."""
    headline("Class attributes, SafePub Table 2", "values seen in the data, leaves of the hierarchy, the paper")
    row = rows(("", "class attribute", "in the data", "in the hierarchy", "paper"), (-4, -16, 11, 16, 6))
    for label, dataset, file, name, paper in PAPER:
        seen = int((dataset.table.marginal(name) > 0).sum()) if dataset else "-"
        row(label, name, seen, len(leaves(DATA / file)), paper)


if __name__ == "__main__":
    main()
