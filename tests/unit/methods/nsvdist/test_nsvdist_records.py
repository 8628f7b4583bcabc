"""What holds of concrete records drawn from the hardened NSVDist: the law of every release, of all worlds of its model.

Proof: `docs/proofs/nsvdist.md`, section 2, *Concrete records*.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product

import pyarrow as pa
import pytest
from strategies import table_of

import shoal
from shoal.audit import distribution
from shoal.data.schema import Role
from shoal.methods import Mode, NSVDist
from shoal.methods.nsvdist.hardened import diverse_clusters, hardened
from shoal.methods.parts.closures import intervals_among
from shoal.methods.parts.publish import Publish
from shoal.parameters import exact
from shoal.promises.guarantee import Basis
from shoal.quality.base import checked_weights

VALUES = ("x", "y", "z")

MODELS = [  # how many people, which values they may have, k, diversity
    (3, "xy", 2, "1.5"),
    (3, "xyz", 3, "3"),
    (4, "xy", 2, "2"),
]


def sample(people):
    ages = {str(i): (str(i), "low" if i < people // 2 else "high", "*") for i in range(people)}
    return table_of({"age": (Role.QUASI_IDENTIFIER, ages), "value": (Role.SENSITIVE, list(VALUES))}, [])


def encoded(world):
    return sample(len(world)).encoded([(str(person), value) for person, value in enumerate(world)])


def clusters(world, k, diversity):
    """Who is together with whom; None if the method refuses the world."""
    table = encoded(world)
    try:
        NSVDist(k=k, diversity=diversity).run(table)
    except shoal.InfeasibleError:
        return None
    made = diverse_clusters(table, k, exact(diversity), checked_weights({}, table), Publish.INTERVALS)
    age = [int(label) for label in table.attributes[0].domain.labels(table.counts.column("age").tolist())]
    return frozenset(frozenset(age[i] for i in made.source[made.label == c].tolist()) for c in range(made.groups))


@cache
def law(world, k, diversity):
    """The probability of every release of a world: published records, as anybody reads them."""
    table, method = encoded(world), NSVDist(k=k, diversity=diversity, output="records")
    weights, is_interval = checked_weights({}, table), intervals_among(table.quasi_identifiers, Publish.INTERVALS)
    # no coins are tossed here
    made, search = hardened(table, k, exact(diversity), is_interval, weights, Publish.INTERVALS)

    def release(coins):
        published = method._outcome(table, made, search, coins).published
        names = [table[name].domain.labels(published.column(name).tolist()) for name in ("age", "value")]
        return tuple(sorted(zip(*names, published.sizes.tolist(), strict=True)))

    found = distribution(release)
    assert found.lost == 0
    assert sum(found.masses.values()) == pytest.approx(1, abs=1e-12)
    return found.masses


def worlds_by_clusters(people, values, k, diversity):
    """Worlds in which the same people are together: what the model holds for possible."""
    found = defaultdict(list)
    for world in product(values, repeat=people):
        together = clusters(world, k, diversity)
        if together is not None and (people < 4 or len(together) > 1):  # four in one ring have too many draws
            found[together].append(world)
    assert found
    return found


@pytest.mark.parametrize(("people", "values", "k", "diversity"), MODELS)
def test_whatever_is_drawn_no_value_is_surer_than_said_in_the_random_worlds_model(people, values, k, diversity):
    """Also to somebody who does not know which values the clusters hold: all worlds with these clusters are weighed."""
    bound, releases, surest = 1 / float(exact(diversity)), 0, 0.0
    for worlds in worlds_by_clusters(people, values, k, diversity).values():
        believed = defaultdict(lambda: defaultdict(float))
        whole = defaultdict(float)
        for world in worlds:
            for release, mass in law(world, k, diversity).items():
                whole[release] += mass
                for person, value in enumerate(world):
                    believed[release][person, value] += mass
        for release, masses in believed.items():
            surest = max(surest, max(masses.values()) / whole[release])
        releases += len(whole)
    assert releases > 20
    assert surest <= bound + 1e-12
    assert surest > bound / 2


@pytest.mark.parametrize(("people", "values", "k", "diversity"), MODELS)
def test_a_release_has_the_same_law_however_the_values_of_a_cluster_are_dealt_to_its_members(
    people, values, k, diversity
):
    """So what is drawn tells about the cluster, and nothing about who in it."""
    compared = 0
    for together, worlds in worlds_by_clusters(people, values, k, diversity).items():
        alike = defaultdict(list)
        for world in worlds:
            alike[frozenset((some, tuple(sorted(world[i] for i in some))) for some in together)].append(world)
        for some in alike.values():
            first = law(some[0], k, diversity)
            for other in some[1:]:
                assert law(other, k, diversity) == pytest.approx(first, abs=1e-12)
                compared += 1
    assert compared


@pytest.mark.parametrize(("people", "values", "k", "diversity"), MODELS)
def test_a_person_may_fit_no_row_and_a_row_may_show_exactly_one_person(people, values, k, diversity):
    """Why nothing is said about the rows of a person: with k ages that differ, chance leaves some of them out."""
    world = next(iter(worlds_by_clusters(people, values, k, diversity).values()))[0]
    fitting = [
        sum(size for age, _, size in release if age == str(person))
        for release in law(world, k, diversity)
        for person in range(people)
    ]
    assert min(fitting) == 0 < k
    assert max(fitting) >= 1


def test_what_is_said_of_drawn_records_is_that_and_no_more():
    table = {"age": list(range(8)) * 3, "value": [*"xyxyxyxy"] * 3}
    schema = shoal.Schema().with_column("age", role="quasi-identifier").with_column("value", role="sensitive")
    method = NSVDist(k=4, diversity=Fraction(2), output="records")
    (rigorous,) = method.anonymize(pa.table(table), schema).certificate.guarantees
    assert rigorous.basis is Basis.PROVED
    assert rigorous.statement == (
        "drawn records, any number of which may fit a person; sensitive posterior <= 1/2 in the random-worlds model; "
        "not differentially private"
    )
    assert any("exact frequencies in the original, which tells those of age" in text for text in rigorous.assumptions)
    method = NSVDist(k=4, diversity=Fraction(2), output="records", mode=Mode.AS_PUBLISHED)
    (published,) = method.anonymize(pa.table(table), schema).certificate.guarantees
    assert published.basis is Basis.CLAIMED
    assert published.statement.startswith("records drawn from (4,2) syntactic sets; overlapping groups can disclose")
    for said in (rigorous, published):
        assert "rows per person" not in said.statement
        assert not any("covers k records" in text for text in said.assumptions)
