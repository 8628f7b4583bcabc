"""What an attacker learns who knows the algorithm: all worlds of small tables, for every k-anonymous method.

Two questions. *Values*: the quasi-identifiers of six people are known, their sensitive values (three of them possible)
are not; after the release, how surely is a value known, where 1/ℓ = 1/2 was asked for? The posterior of somebody who
looks at the published classes only is at most 1/2. *Records*: nobody's quasi-identifier is known, only that there are
five people, each anywhere on a line of six; after a 2-anonymous release, whose place is certain? Somebody who looks at
the published table only is certain where a value is published as it is; the column `as published` counts those.

Run: python experiments/minimality/worlds.py
"""

from __future__ import annotations

from collections.abc import Hashable

import pyarrow as pa

import shoal
from shoal.audit import Minimality, audit_minimality
from shoal.audit.minimality import World

K, DIVERSITY = 2, 2
AGES = (1, 2, 3, 6, 7, 8)
TOWNS = ("a", "a", "b", "b", "b", "c")
VALUES = ("flu", "cold", "gout")
PLACES, PEOPLE = range(6), 5


def release(method: object, table: pa.Table, schema: shoal.Schema) -> Hashable:
    """All that is published, rows in the order in which they are."""
    made = method.anonymize(table, schema)  # type: ignore[attr-defined]
    return tuple(tuple(row.values()) for row in made.data.to_pylist()), made.certificate.records


def values_audit(method: object) -> Minimality:
    schema = shoal.Schema(
        (
            shoal.Column("age", shoal.Role.QUASI_IDENTIFIER, shoal.Grid.between(0, 9), shoal.intervals(2, 4)),
            shoal.Column("town", shoal.Role.QUASI_IDENTIFIER, shoal.Categorical(("a", "b", "c")), shoal.flat()),
            shoal.Column("illness", shoal.Role.SENSITIVE, shoal.Categorical(VALUES)),
        )
    )

    def published(world: World) -> Hashable:
        return release(method, pa.table({"age": AGES, "town": TOWNS, "illness": list(world)}), schema)

    return audit_minimality(published, VALUES, len(AGES), bound=1 / DIVERSITY)


def records_audit(method: object) -> tuple[Minimality, float]:
    schema = shoal.Schema(
        (shoal.Column("place", shoal.Role.QUASI_IDENTIFIER, shoal.Grid.between(0, 5), shoal.intervals(2, 4)),)
    )
    exact = {str(place) for place in PLACES}
    seen: dict[tuple[Hashable, ...], Hashable] = {}
    shown = []

    def published(world: World) -> Hashable:
        places = tuple(sorted(world))  # type: ignore[type-var]  # people are not told apart: the table is a multiset
        if places not in seen:
            seen[places] = release(method, pa.table({"place": pa.array(places)}), schema)
        rows = seen[places][0]  # type: ignore[index]
        shown.append(sum(str(row[0]) in exact for row in rows) / PEOPLE)
        return seen[places], ordered(world)

    found = audit_minimality(published, tuple(PLACES), PEOPLE)
    return found, sum(shown) / len(shown)


def ordered(world: World) -> Hashable:
    """Who is first, second, …: what the attacker is given, so that "the third lowest place" is a person."""
    return tuple(sorted(range(len(world)), key=lambda person: (world[person], person)))


def main() -> None:
    print(f"values: {len(AGES)} people, {len(VALUES)} possible values, k = {K}, diversity = {DIVERSITY}\n")
    titles = f"{'surest':>7s} {'mean surest':>12s} {'certain':>8s} {'beyond 1/2':>11s}"
    print(f"{'method':28s} {'worlds':>7s} {'releases':>9s} {titles}")
    frequent = shoal.FrequencyDiversity(DIVERSITY, "illness")
    for name, method in {
        "nsvdist, rigorous": shoal.NSVDist(k=K, diversity=DIVERSITY),
        "nsvdist, as published": shoal.NSVDist(k=K, diversity=DIVERSITY, mode=shoal.Mode.AS_PUBLISHED),
        "mondrian": shoal.Mondrian(k=K, criteria=(frequent,)),
        "local-recoding": shoal.LocalRecoding(k=K, criteria=(frequent,)),
        "optimal-lattice": shoal.OptimalLattice(k=K, criteria=(frequent,), suppression_limit=0.0),
        "optimal-lattice, 40% out": shoal.OptimalLattice(k=K, criteria=(frequent,), suppression_limit=0.4),
        "ola": shoal.OLA(k=K, criteria=(frequent,), suppression_limit=0.0),
    }.items():
        of = values_audit(method)
        print(
            f"{name:28s} {of.worlds:7d} {of.releases:9d} {of.surest:7.3f} {of.mean_surest:12.3f} {of.certain:8.3f} "
            f"{of.beyond:11.3f}",
            flush=True,
        )
    print(f"\nrecords: {PEOPLE} people on a line of {len(PLACES)}, k = {K}, no sensitive column\n")
    print(f"{'method':28s} {'releases':>9s} {'certain':>8s} {'as published':>13s}")
    for name, method in {
        "mondrian": shoal.Mondrian(k=K),
        "local-recoding": shoal.LocalRecoding(k=K),
        "optimal-lattice": shoal.OptimalLattice(k=K, suppression_limit=0.0),
        "optimal-lattice, 40% out": shoal.OptimalLattice(k=K, suppression_limit=0.4),
        "ola": shoal.OLA(k=K, suppression_limit=0.0),
    }.items():
        of, shown = records_audit(method)
        print(f"{name:28s} {of.releases:9d} {of.certain:8.3f} {shown:13.3f}", flush=True)


if __name__ == "__main__":
    main()
