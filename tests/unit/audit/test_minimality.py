"""All worlds of small tables: what the hardened NSVDist promises holds in its model; what no method promises fails."""

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from strategies import table_of

from shoal.audit import audit_minimality
from shoal.audit.overlap import boxes
from shoal.criteria import FrequencyDiversity
from shoal.data.partition import Partition
from shoal.data.schema import Role
from shoal.errors import InfeasibleError, ParameterError
from shoal.methods import Mode, Mondrian, NSVDist
from shoal.methods.nsvdist.hardened import diverse_clusters, ring_closures
from shoal.methods.parts.closures import intervals_among
from shoal.methods.parts.publish import Publish
from shoal.parameters import exact
from shoal.quality.base import checked_weights

AGES = {str(i): (str(i), "low" if i < 3 else "high", "*") for i in range(6)}
VALUES = ("x", "y", "z")
PEOPLE = ("0", "1", "2", "3", "4", "5")
SAMPLE = table_of({"age": (Role.QUASI_IDENTIFIER, AGES), "value": (Role.SENSITIVE, list(VALUES))}, [])
PERSON, VALUE = ([int(v) for v in SAMPLE.attributes[0].domain.values], SAMPLE.attributes[1].domain.values)
"""Which person a leaf is, and which value a code is."""


def encoded(world):
    return SAMPLE.encoded(list(zip(PEOPLE, world, strict=True)))


def published(method):
    """A release as anybody sees it: codes, what they stand for, and how often."""

    def run(world):
        outcome = method.run(encoded(world))
        shown = [repr(vars_of(outcome.shown[name])) for name in sorted(outcome.shown)]
        return tuple(column.tobytes() for column in outcome.published.codes), outcome.published.sizes.tobytes(), *shown

    return run


def vars_of(shown):
    return [(name, np.asarray(getattr(shown, name)).tolist()) for name in type(shown).__dataclass_fields__]


def test_worlds_with_the_same_release_are_all_that_an_attacker_is_left_with():
    """Two people with one of two secrets; the release is whether the secrets are equal."""
    found = audit_minimality(lambda world: world[0] == world[1], "ab", people=2, bound=0.4)
    assert (found.worlds, found.releases, found.surest, found.certain, found.beyond) == (4, 2, 0.5, 0.0, 1.0)
    found = audit_minimality(lambda world: world[0], "ab", people=2)
    assert (found.surest, found.mean_surest, found.certain, found.beyond) == (1.0, 1.0, 0.5, 0.0)


def test_refused_worlds_take_no_part():
    def release(world):
        if world == ("a", "a"):
            raise InfeasibleError("no")
        return 0

    found = audit_minimality(release, "ab", people=2)
    assert (found.worlds, found.surest) == (3, 2 / 3)


def test_too_many_worlds_are_refused():
    with pytest.raises(ParameterError, match="more worlds"):
        audit_minimality(len, range(10), people=7)


def rows(low, high, shares, sizes):
    """Published rows as anybody reads them: the people a row covers, and its distribution; equal ones counted."""
    found = Counter()
    for first, last, of, size in zip(low[0].tolist(), high[0].tolist(), shares.tolist(), sizes.tolist(), strict=True):
        found[first, last, tuple(Fraction(int(one), int(sum(of))) for one in of)] += size
    return frozenset(found.items())


@cache
def worlds_of(clusters, k):
    """For people in known clusters: which worlds explain a release. Rings are a function of the quasi-identifiers."""
    table = encoded(VALUES * 2)
    label = np.array([next(i for i, some in enumerate(clusters) if leaf in some) for leaf in range(6)])
    partition = Partition(np.arange(6), label, np.ones(6, dtype=np.int64))
    interval = intervals_among(table.quasi_identifiers, Publish.INTERVALS)
    rings, low, _ = ring_closures(table, partition, interval, checked_weights({}, table), k)
    first = table.quasi_identifiers[0].hierarchy.first
    last = first[low] + table.quasi_identifiers[0].hierarchy.leaf_count[low] - 1
    explained = defaultdict(list)
    for world in product(range(3), repeat=6):
        counts = np.array([np.bincount([world[PERSON[leaf]] for leaf in some], minlength=3) for some in clusters])
        explained[rows(first[low], last, counts[rings.label], np.ones(6, dtype=np.int64))].append(world)
    return explained


@pytest.mark.parametrize(("k", "diversity"), [(2, 2), (3, 2), (3, 3), (2, 1.5)])
def test_in_the_random_worlds_model_no_value_is_surer_than_the_hardened_variant_says(k, diversity):
    """Every table of six people; the attacker knows their quasi-identifiers and clusters, and the release (6d)."""
    method, surest, releases = NSVDist(k=k, diversity=diversity), 0.0, 0
    for world in product(range(3), repeat=6):
        table = encoded([VALUE[value] for value in world])
        try:
            outcome = method.run(table)
        except InfeasibleError:
            continue
        releases += 1
        low, high = boxes(outcome)
        shares = outcome.shown["value"].shares[outcome.published.column("value")]
        seen = rows(low, high, shares, outcome.published.sizes)
        for leaf in range(6):
            assert sum(size for (first, last, _), size in seen if first <= leaf <= last) >= k
        made = diverse_clusters(table, k, exact(diversity), checked_weights({}, table), Publish.INTERVALS)
        age = table.counts.column("age").astype(int)
        clusters = tuple(tuple(sorted(age[made.source[made.label == label]].tolist())) for label in range(made.groups))
        worlds = worlds_of(clusters, k)[seen]
        assert world in worlds
        believed = [Counter(other[person] for other in worlds).most_common(1)[0][1] for person in range(6)]
        surest = max(surest, max(believed) / len(worlds))
    assert releases > 50
    assert 1 / 3 <= surest <= 1 / diversity + 1e-12


def test_who_knows_the_algorithm_can_learn_more_than_the_model_says():
    """Minimality: clusters were cut with a look at the values. It is not promised, and it is not so."""
    hardened = audit_minimality(published(NSVDist(k=2, diversity=2)), VALUES, 6, bound=0.5)
    as_published = audit_minimality(published(NSVDist(k=2, diversity=2, mode=Mode.AS_PUBLISHED)), VALUES, 6, bound=0.5)
    mondrian = audit_minimality(
        published(Mondrian(k=2, criteria=(FrequencyDiversity(2.0, "value"),))), VALUES, 6, bound=0.5
    )
    assert hardened.worlds == as_published.worlds == mondrian.worlds == 510
    assert 0 < hardened.beyond < 0.1 < as_published.beyond
    assert 0 < hardened.certain < 0.05 < as_published.certain
    assert 0 < mondrian.beyond < 0.1
