"""Patients who never lived: a table with the dependencies of a real one.

Age, sex and season move the diagnosis; age moves the occupation; region and occupation move the insurance; diagnosis
and age move the length of stay. Every choice is made from `random()` alone, whose sequence for a seed Python keeps the
same in all versions.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from random import Random
from typing import TypeVar

T = TypeVar("T")

COLUMNS = (
    "patient_id", "age", "sex", "zip", "occupation", "insurance", "admission_date", "length_of_stay", "diagnosis",
)  # fmt: skip
FIRST_DAY, LAST_DAY = dt.date(2023, 1, 1), dt.date(2024, 12, 31)
LONGEST_STAY = 60
_SEED = 20240229

REGIONS: Mapping[str, tuple[str, int, int]] = {
    "Harbor city": ("101", 9, 300), "Old town": ("102", 6, 190), "University": ("104", 5, 130),
    "River valley": ("201", 5, 110), "Mill towns": ("203", 4, 80), "Lakes": ("207", 3, 50), "Orchards": ("208", 3, 40),
    "Northern coast": ("305", 3, 35), "Islands": ("309", 2, 10), "Hill country": ("402", 3, 25),
    "Border district": ("406", 2, 15), "High valley": ("411", 2, 10),
}  # fmt: skip
"""Name: the first three digits of its zip codes, how many it has, and its share of patients."""
AREAS: Mapping[str, str] = {"1": "City", "2": "Country", "3": "Country", "4": "Country"}

_STAGES = ((0, 5, 70), (6, 17, 75), (18, 29, 110), (30, 44, 150), (45, 64, 270), (65, 79, 320), (80, 99, 180))
"""Ages from, to, and their share of patients."""

_JOBS: Mapping[str, tuple[int, int]] = {
    "Doctor": (3, 3), "Nurse": (16, 3), "Pharmacist": (2, 1), "Teacher": (12, 5), "Lecturer": (2, 2),
    "Childcare worker": (8, 1), "Engineer": (3, 14), "Programmer": (3, 10), "Lawyer": (2, 2), "Office clerk": (24, 10),
    "Accountant": (6, 5), "Civil servant": (8, 8), "Shop assistant": (16, 6), "Sales representative": (5, 9),
    "Cook": (5, 5), "Waiter": (5, 3), "Cleaner": (9, 2), "Electrician": (1, 9), "Carpenter": (1, 7),
    "Bricklayer": (0, 6), "Factory worker": (8, 18), "Mechanic": (1, 11), "Driver": (2, 13), "Farmer": (2, 4),
    "Homemaker": (14, 1), "Unemployed": (8, 9),
}  # fmt: skip
"""How often women and men of working age have each occupation."""
_WELL_PAID = ("Doctor", "Pharmacist", "Lecturer", "Engineer", "Programmer", "Lawyer", "Civil servant")

_WOMEN_ONLY = 10**9
DIAGNOSES: Mapping[str, tuple[tuple[int, ...], int, float]] = {
    "Heart attack": ((0, 0, 1, 6, 22, 26, 20), 60, 7), "Heart failure": ((0, 0, 1, 3, 14, 34, 48), 90, 9),
    "Stroke": ((0, 0, 1, 4, 14, 28, 32), 90, 10), "Pneumonia": ((22, 8, 5, 7, 13, 22, 30), 90, 7),
    "Asthma": ((16, 16, 8, 7, 6, 4, 2), 110, 4), "Chronic bronchitis": ((0, 0, 1, 4, 16, 22, 14), 70, 7),
    "Diabetes": ((1, 5, 4, 7, 16, 18, 12), 85, 5), "Thyroid disorder": ((0, 1, 4, 8, 11, 7, 3), 350, 3),
    "Kidney stones": ((0, 1, 7, 12, 13, 7, 2), 60, 2), "Urinary infection": ((6, 4, 8, 7, 8, 13, 20), 220, 4),
    "Intestinal infection": ((22, 11, 10, 8, 8, 9, 11), 100, 3), "HIV": ((0, 0, 4, 5, 3, 1, 0), 35, 6),
    "Breast cancer": ((0, 0, 1, 10, 24, 16, 7), 9000, 5), "Prostate cancer": ((0, 0, 0, 1, 17, 24, 9), 0, 5),
    "Bowel cancer": ((0, 0, 1, 4, 15, 20, 13), 80, 9), "Lung cancer": ((0, 0, 0, 3, 17, 18, 7), 70, 8),
    "Appendicitis": ((6, 26, 18, 11, 7, 3, 1), 90, 3), "Gallstones": ((0, 1, 9, 15, 18, 13, 8), 190, 4),
    "Hip fracture": ((0, 0, 0, 1, 5, 17, 42), 210, 11), "Arm or leg fracture": ((14, 24, 15, 12, 14, 14, 14), 100, 4),
    "Concussion": ((24, 22, 14, 7, 6, 6, 8), 80, 2), "Worn joint": ((0, 0, 1, 5, 26, 32, 11), 130, 7),
    "Childbirth": ((0, 1, 26, 34, 0, 0, 0), _WOMEN_ONLY, 3), "Depression": ((0, 9, 17, 18, 17, 8, 4), 170, 20),
    "Addiction": ((0, 2, 14, 17, 15, 4, 1), 40, 12), "Epilepsy": ((9, 7, 5, 4, 4, 4, 3), 100, 5),
}  # fmt: skip
"""How frequent at each stage of life; women per 100 men; mean days in hospital."""
_WINTER = ("Pneumonia", "Asthma", "Chronic bronchitis")


def zip_codes() -> dict[str, tuple[str, str]]:
    """Every zip code, with its region and area."""
    return {
        f"{prefix}{7 * i + 3:02}": (region, AREAS[prefix[0]])
        for region, (prefix, codes, _) in REGIONS.items()
        for i in range(codes)
    }


def patients(count: int, seed: int = _SEED) -> Iterator[tuple[str, ...]]:
    """Records in the order of `COLUMNS`; an empty text is a missing value."""
    coins = Random(seed)  # noqa: S311  an example, not a secret
    for number in range(1, count + 1):
        yield (f"P{number:06}", *_patient(coins))


def _patient(coins: Random) -> tuple[str, ...]:
    stage = _pick(coins, {i: share for i, (_, _, share) in enumerate(_STAGES)})
    low, high, _ = _STAGES[stage]
    age = low + int(coins.random() * (high - low + 1))
    if age >= 90:  # the oldest are few
        age -= int(coins.random() * 10)
    is_woman = coins.random() < (0.47, 0.48, 0.55, 0.55, 0.48, 0.49, 0.6)[stage]
    region = _pick(coins, {name: share for name, (_, _, share) in REGIONS.items()})
    prefix, codes, _ = REGIONS[region]
    place = int(coins.random() * coins.random() * codes)  # the first code of a region is its center
    day = FIRST_DAY + dt.timedelta(days=int(coins.random() * ((LAST_DAY - FIRST_DAY).days + 1)))
    occupation = _occupation(coins, age, is_woman=is_woman)
    diagnosis = _diagnosis(coins, stage, is_woman=is_woman, is_winter=day.month in (12, 1, 2))
    return (
        str(age),
        "female" if is_woman else "male",
        f"{prefix}{7 * place + 3:02}",
        _unless(coins, 0.01, occupation),
        _unless(coins, 0.002, _insurance(coins, occupation, region)),
        day.isoformat(),
        str(_stay(coins, DIAGNOSES[diagnosis][2] * (0.7 + age / 120))),
        diagnosis,
    )


def _occupation(coins: Random, age: int, *, is_woman: bool) -> str:
    if age < 6:
        return "Child"
    if age < 18 or (age < 26 and coins.random() < 0.45):
        return "Pupil or student"
    if age >= 67 or (age >= 58 and coins.random() < (age - 57) / 12):
        return "Retired"
    return _pick(coins, {job: shares[0 if is_woman else 1] for job, shares in _JOBS.items()})


def _insurance(coins: Random, occupation: str, region: str) -> str:
    private = (0.5 if occupation in _WELL_PAID else 0.004) + (0.01 if region in ("Old town", "University") else 0)
    return "private" if coins.random() < private else "public"


def _diagnosis(coins: Random, stage: int, *, is_woman: bool, is_winter: bool) -> str:
    weights = {}
    for name, (by_stage, women_per_100_men, _) in DIAGNOSES.items():
        weight = 100 * by_stage[stage] * (2 * women_per_100_men if is_woman else 200) // (100 + women_per_100_men)
        weights[name] = weight * (2 if is_winter and name in _WINTER else 1)
    return _pick(coins, weights)


def _stay(coins: Random, mean: float) -> int:
    days = 1
    while days < LONGEST_STAY and coins.random() > 1 / mean:
        days += 1
    return days


def _unless(coins: Random, chance: float, value: str) -> str:
    return "" if coins.random() < chance else value


def _pick(coins: Random, weights: Mapping[T, int]) -> T:
    """One of the keys, each with a chance in proportion to its weight."""
    at = coins.random() * sum(weights.values())
    for key, weight in weights.items():
        at -= weight
        if at < 0:
            return key
    return next(reversed([key for key, weight in weights.items() if weight]))
