"""What knowing the algorithm tells: every world that leads to the same release, on tables small enough to try all.

A method that looks at the data to decide how little to change gives something away by where it stopped (the minimality
attack of Wong, Fu, Wang & Pei 2007; downcoding, Cohen 2022). Nobody who states k-anonymity or ℓ-diversity promises
otherwise: those are properties of the published table. Here it is measured. The attacker knows the method, its
parameters and the quasi-identifiers of everybody, and held all worlds for equally likely before looking.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from shoal.errors import InfeasibleError, ParameterError

World: TypeAlias = tuple[Hashable, ...]
"""What is secret about each person, in their order."""

_MOST_WORLDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Minimality:
    """What an attacker who knows the algorithm believes after a release; means are over all worlds that give one.

    Attributes:
        worlds: How many worlds give a release; the others are refused.
        releases: How many different releases there are.
        surest: The largest posterior of any secret of any person, over all releases.
        mean_surest: The posterior of the secret that is believed most, of the person it is believed most about, in the
            mean over worlds.
        certain: The share of people whose secret is certain, in the mean over worlds.
        beyond: The share of worlds in which some secret of some person is surer than the bound asked about.
    """

    worlds: int
    releases: int
    surest: float
    mean_surest: float
    certain: float
    beyond: float


def audit_minimality(
    release: Callable[[World], Hashable], secrets: Sequence[Hashable], people: int, *, bound: float = 1.0
) -> Minimality:
    """Run a method on every world and compare those with the same release.

    Args:
        release: What is published in a world; `InfeasibleError` where the method refuses it.
        secrets: What may be secret about one person.
        people: How many there are.
        bound: A posterior, such as 1/ℓ: `beyond` counts worlds in which somebody's is larger.

    >>> found = audit_minimality(lambda world: sum(world), (0, 1), people=3)
    >>> found.worlds, found.releases, found.certain
    (8, 4, 0.25)
    """
    if people < 1 or not secrets or len(secrets) ** people > _MOST_WORLDS:
        raise ParameterError(
            f"{len(secrets):,} secrets of {people:,} people make more worlds than the {_MOST_WORLDS:,} that are tried, "
            "or none; take fewer people or fewer secrets."
        )
    alike: defaultdict[Hashable, list[World]] = defaultdict(list)
    for world in product(secrets, repeat=people):
        try:
            alike[release(world)].append(world)
        except InfeasibleError:
            continue
    return _compared(alike, people, bound)


def _compared(alike: Mapping[Hashable, Sequence[World]], people: int, bound: float) -> Minimality:
    total = sum(map(len, alike.values()))
    surest = mean_surest = certain = beyond = 0.0
    for worlds in alike.values():
        best = [_most_believed(world[person] for world in worlds) / len(worlds) for person in range(people)]
        share = len(worlds) / total
        surest = max(surest, *best)
        mean_surest += share * max(best)
        certain += share * sum(posterior == 1.0 for posterior in best) / people
        beyond += share * (max(best) > bound + 1e-12)
    return Minimality(total, len(alike), surest, mean_surest, certain, beyond)


def _most_believed(secrets: Iterable[Any]) -> int:
    counts: defaultdict[Any, int] = defaultdict(int)
    for secret in secrets:
        counts[secret] += 1
    return max(counts.values())
