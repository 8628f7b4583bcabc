"""Table 3: the datasets, their records and global diversities, ours beside the paper's."""

from __future__ import annotations

from common import global_diversity, named

print(f"{'dataset':15}{'records':>9}{'paper':>9}{'diversity':>11}{'paper':>7}")
for dataset in named():
    rows = [*dataset.rows, *dataset.test_rows]
    found = float(global_diversity(rows))
    print(f"{dataset.name:15}{len(rows):>9,}{dataset.records:>9,}{found:>11.2f}{dataset.diversity:>7.2f}")
