"""Quinlan's fourteen days, on some of which golf was played (1986)."""

import numpy as np

from shoal.evaluate import Examples

NAMES = ("outlook", "temperature", "humidity", "windy")
GOLF = [
    tuple(line.split())
    for line in """
    sunny hot high false no
    sunny hot high true no
    overcast hot high false yes
    rain mild high false yes
    rain cool normal false yes
    rain cool normal true no
    overcast cool normal true yes
    sunny mild high false no
    sunny cool normal false yes
    rain mild normal false yes
    sunny mild normal true yes
    overcast mild high true yes
    overcast hot normal false yes
    rain mild high true no
    """.strip().splitlines()
]


def as_examples(rows):
    columns, sizes = [], []
    for i in range(5):
        values = sorted({row[i] for row in rows})
        columns.append(np.array([values.index(row[i]) for row in rows]))
        sizes.append(len(values))
    return Examples(tuple(columns[:4]), tuple(sizes[:4]), columns[4], sizes[4], np.ones(len(rows), int))
