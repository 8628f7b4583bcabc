"""Which classes are left out: the stated rule, what it is never worse than, and where it is the best there is."""

from dataclasses import replace
from itertools import chain, combinations
from unittest.mock import patch

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CRITERIA, class_keys, criteria_about, examples, nodes_of, samples, table_of

from shoal.criteria import Closeness, Disclosure, Distance, KAnonymity, Likeness, LKCPrivacy, Reference, Suppression
from shoal.criteria import published_reference as rules
from shoal.data.schema import Role
from shoal.quality import Loss
from shoal.search.evaluator import Evaluator
from shoal.search.lattice import NodeClasses

SMALL = {"quasi": (1, 2), "sensitive": (1, 2), "records": (1, 20), "max_leaves": 4}
COMPARING = ("closeness", "disclosure", "likeness")


def suppressed_records(classes, choice):
    return int(classes.sizes[choice].sum())


def subsets(keys):
    return chain.from_iterable(combinations(keys, size) for size in range(len(keys) + 1))


@given(st.data())
@examples(60)
def test_what_is_left_meets_the_criteria_and_no_class_of_it_could_be_put_back(data):
    sample = data.draw(samples(**SMALL))
    criteria = data.draw(criteria_about(sample))
    node = data.draw(nodes_of(sample))
    classes, found = NodeClasses(sample.table).at(node), naive.classes(sample, node)
    keys = class_keys(classes)
    for choice in Suppression(criteria).choices(classes, classes.total):
        kept = [key for key, out in zip(keys, choice, strict=True) if not out]
        assert naive.all_satisfied(sample, criteria, found, kept)
        for key, out in zip(keys, choice, strict=True):
            assert not out or not naive.all_satisfied(sample, criteria, found, [*kept, key])


@given(st.data())
@examples(60)
def test_the_better_choice_is_never_worse_than_a_plain_rule(data):
    sample = data.draw(samples(**SMALL))
    criteria = data.draw(criteria_about(sample, kinds=COMPARING))
    node = data.draw(nodes_of(sample))
    classes, found = NodeClasses(sample.table).at(node), naive.classes(sample, node)
    alone, relative = ([c for c in criteria if naive.is_relative(c) is kind] for kind in (False, True))
    left = [key for key in found if all(naive.satisfied(sample, c, found[key], found[key]) for c in alone)]
    plain = [
        naive.all_at_once(sample, relative, found, left),
        naive.worst_first(
            sample,
            relative,
            found,
            left,
            order=lambda key: (len(found[key]), naive.class_number(sample, node, found[key])),
        ),
    ]
    fewest = min(len(sample.rows) - sum(len(found[key]) for key in kept) for kept in plain)
    choices = Suppression(criteria).choices(classes, classes.total)
    assert min(suppressed_records(classes, choice) for choice in choices) <= fewest


@pytest.mark.parametrize("kind", COMPARING)
@given(data=st.data())
@examples(40)
def test_compared_with_the_input_exactly_the_failing_classes_go_and_no_set_of_fewer_records_would_do(kind, data):
    sample = data.draw(samples(**SMALL))
    criterion = replace(data.draw(CRITERIA[kind](sample.sensitive_names[0])), reference=Reference.INPUT)
    node = data.draw(nodes_of(sample))
    classes, found = NodeClasses(sample.table).at(node), naive.classes(sample, node)
    (choice,) = Suppression([criterion]).choices(classes, classes.total)
    possible = [kept for kept in subsets(found) if naive.all_satisfied(sample, [criterion], found, kept)]
    most = max(sum(len(found[key]) for key in kept) for kept in possible)
    assert suppressed_records(classes, choice) == len(sample.rows) - most


@given(st.data())
@examples(60)
def test_classes_are_chosen_by_what_they_are_not_by_how_they_are_numbered(data):
    """The same node, counted from the table and from the merged records of a finer node."""
    sample = data.draw(samples(**SMALL | {"quasi": (2, 3)}))
    criteria = data.draw(criteria_about(sample, kinds=COMPARING))
    node = data.draw(nodes_of(sample))
    below = tuple(data.draw(st.integers(0, level)) for level in node)
    chosen = []
    for source in (
        NodeClasses(sample.table),
        NodeClasses(sample.table).above(below),
        NodeClasses(sample.table, last=0),
    ):
        classes = source.at(node)
        keys = class_keys(classes)
        choices = Suppression(criteria).choices(classes, classes.total)
        chosen.append([{key for key, out in zip(keys, choice, strict=True) if out} for choice in choices])
    assert chosen[0] == chosen[1] == chosen[2]


@pytest.mark.parametrize("kind", COMPARING)
@pytest.mark.parametrize("seed", range(6))
def test_judging_only_the_worst_few_again_drops_the_same_classes(kind, seed):
    rng = np.random.default_rng(seed)
    classes_of, values = [f"c{i}" for i in range(40)], ["a", "b", "c"]
    rows = [
        (name, values[value])
        for name in classes_of
        for value in rng.choice(3, rng.integers(6, 20), p=rng.dirichlet([6, 4, 3]))
    ]
    sample = table_of({"q": (Role.QUASI_IDENTIFIER, classes_of), "s": (Role.SENSITIVE, values)}, rows)
    criterion = {"closeness": Closeness(0.15, "s"), "disclosure": Disclosure(0.6, "s"), "likeness": Likeness(0.4, "s")}
    classes = NodeClasses(sample.table).at((0,))
    everything = [Suppression([criterion[kind]]).choices(classes, classes.total)]
    for few in (1, 3, 8):
        with patch.object(rules, "_POOL", few):
            everything.append(Suppression([criterion[kind]]).choices(classes, classes.total))
    assert any(choice.any() for choice in everything[0])
    assert all(np.array_equal(other, everything[0]) for other in everything[1:])


def test_one_class_at_a_time_keeps_what_all_at_once_would_lose():
    """Both x and y are too far from the whole table; without y, x is not."""
    rows = [("w", "a")] * 6 + [("w", "b")] * 6 + [("x", "a")] * 7 + [("x", "b")] * 3 + [("y", "b")] * 4
    sample = table_of({"q": (Role.QUASI_IDENTIFIER, ["w", "x", "y"]), "s": (Role.SENSITIVE, ["a", "b"])}, rows)
    classes = NodeClasses(sample.table).at((0,))
    closeness = Closeness(0.15, "s")
    names = [key[0] for key in class_keys(classes)]
    at_first = closeness.violations(classes, np.ones(3, dtype=bool))
    assert dict(zip(names, at_first, strict=True)) == {"w": False, "x": True, "y": True}
    choices = Suppression([closeness]).choices(classes, classes.total)
    assert {frozenset(np.array(names)[choice].tolist()) for choice in choices} == {frozenset({"y"})}


def test_a_coarser_recoding_may_suppress_more_even_when_compared_with_the_input():
    """y alone fails; joined with x it takes x along: with suppression no criterion of this kind is monotone."""
    tree = {"x": ("x", "xy", "*"), "y": ("y", "xy", "*"), "z": ("z", "z", "*")}
    rows = [("x", "a")] * 9 + [("x", "b")] * 6 + [("y", "a")] * 5 + [("z", "a")] * 40 + [("z", "b")] * 40
    sample = table_of({"q": (Role.QUASI_IDENTIFIER, tree), "s": (Role.SENSITIVE, ["a", "b"])}, rows)
    closeness = Closeness(0.1, "s", reference=Reference.INPUT)
    for level, lost in ((0, 5), (1, 20)):
        classes = NodeClasses(sample.table).at((level,))
        assert [suppressed_records(classes, out) for out in Suppression([closeness]).choices(classes, 40)] == [lost]
    assert not Evaluator(sample.table, [closeness], Loss(), 5).is_monotone
    assert Evaluator(sample.table, [closeness], Loss(), 0).is_monotone


@pytest.mark.parametrize("kind", COMPARING)
@given(data=st.data())
@examples(60)
def test_no_finer_recoding_suppresses_less_than_a_look_at_a_coarser_one_says(kind, data):
    """Over all sets of classes that could be suppressed, not only those that the rule finds."""
    sample = data.draw(samples(**SMALL | {"quasi": (1, 1)}))
    criterion = data.draw(CRITERIA[kind](sample.sensitive_names[0]))
    node = data.draw(nodes_of(sample))
    allowed = data.draw(st.sampled_from([0, 1, len(sample.rows) // 5, len(sample.rows) // 2, len(sample.rows)]))
    classes = NodeClasses(sample.table).at(node)
    least = Suppression([criterion]).least(classes, np.zeros(len(classes), dtype=bool), allowed)
    for below in (n for n in sample.nodes if all(a <= b for a, b in zip(n, node, strict=True))):
        found = naive.classes(sample, below)
        for kept in subsets(found):
            lost = len(sample.rows) - sum(len(found[key]) for key in kept)
            if kept and lost <= allowed and naive.all_satisfied(sample, [criterion], found, kept):
                assert lost >= least


def test_what_is_left_out_is_said_in_words():
    assert Suppression([KAnonymity(2)]).words == "exactly the classes that fail"
    assert Suppression([Closeness(0.2, "s", Distance.EQUAL, Reference.INPUT)]).words == "exactly the classes that fail"
    assert Suppression([KAnonymity(2), Likeness(1, "s")]).words.startswith(
        "the better of two sets: all failing classes"
    )
    assert Suppression([LKCPrivacy(2, 3)]).words == "all failing classes at once, judged again until none fails"
    assert Suppression([LKCPrivacy(2, 3), Likeness(1, "s")]).words.startswith("all failing classes at once")
