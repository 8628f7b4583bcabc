"""Figure 5, top: the loss metric of NSVDist, NHAA and Mondrian on Abalone for k = l = 2, 3, 4, 5.

The paper prints curves: NSVDist constantly much lower than NHAA and Mondrian.
"""

from __future__ import annotations

from common import machine, named

import shoal
from shoal.dp.coins.coins import SeededCoins

print(f"machine: {machine()}")
(dataset,) = named("Abalone")
table = dataset.table(dataset.codes(dataset.rows))
print(f"{'k = l':>6}{'NSVDist':>10}{'hardened':>10}{'NHAA':>10}{'Mondrian':>10}")
for diversity in (2, 3, 4, 5):
    releases = [dataset.release(name, table, diversity, float(diversity)) for name in ("NSVDist", "hardened")]
    nhaa = shoal.NHAA(diversity=diversity, publish=dataset.publish)
    releases.append(nhaa.run(table, coins=SeededCoins(0)))
    releases.append(dataset.release("Mondrian", table, diversity, float(diversity)))
    print(
        f"{diversity:>6}"
        + "".join(f"{release.losses['loss']:>10.3f}" if release else f"{'-':>10}" for release in releases)
    )
