"""Each criterion against its definition in the literature, and what a search may conclude from it."""

from dataclasses import replace
from math import inf, isclose

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CRITERIA, class_keys, criteria_about, examples, nodes_of, samples, table_of

from shoal.criteria import (
    Closeness,
    Comparison,
    Criterion,
    Disclosure,
    Distance,
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    KAnonymity,
    Likeness,
    RecursiveDiversity,
    violations,
)
from shoal.data.domain import Origin
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Role
from shoal.errors import ParameterError, SchemaError
from shoal.search.lattice import NodeClasses

KINDS = pytest.mark.parametrize("kind", CRITERIA)
SENSITIVE = {"quasi": (1, 2), "sensitive": (1, 2), "records": (1, 20), "max_leaves": 4}


def values_of(sample, criterion, found, key):
    position, _ = naive.column_of(sample, criterion)
    return [sample.rows[i][position] for i in found[key]]


@KINDS
@given(data=st.data())
@examples(30)
def test_a_class_is_measured_and_judged_as_the_literature_defines_it(kind, data):
    """With any set of published classes to compare with."""
    sample = data.draw(samples(**SENSITIVE))
    criterion = data.draw(CRITERIA[kind](data.draw(st.sampled_from(sample.sensitive_names))))
    node = data.draw(nodes_of(sample))
    classes, found = NodeClasses(sample.table).at(node), naive.classes(sample, node)
    published = np.array(data.draw(st.lists(st.booleans(), min_size=len(classes), max_size=len(classes))))
    published[data.draw(st.integers(0, len(classes) - 1))] = True
    keys, tree = class_keys(classes), naive.column_of(sample, criterion)[1]
    shown = [i for key, is_shown in zip(keys, published, strict=True) if is_shown for i in found[key]]
    whole = naive.compared_with(sample, criterion, shown)
    measured = criterion.measure(classes, published)
    wanted = [naive.measured(criterion, values_of(sample, criterion, found, key), whole, tree) for key in keys]
    assert all(isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(measured, wanted, strict=True))
    assert criterion.violations(classes, published).tolist() == [
        not naive.holds(criterion, values_of(sample, criterion, found, key), whole, tree) for key in keys
    ]
    smaller_is_worse = isinstance(criterion, KAnonymity | DistinctDiversity | EntropyDiversity | FrequencyDiversity)
    assert isclose(
        criterion.worst(measured), min(wanted) if smaller_is_worse else max(wanted), rel_tol=1e-9, abs_tol=1e-9
    )


@KINDS
@given(data=st.data())
@examples(30)
def test_a_class_joined_from_admissible_ones_is_admissible(kind, data):
    sample = data.draw(samples(**SENSITIVE))
    criterion = data.draw(CRITERIA[kind](sample.sensitive_names[0]))
    node = data.draw(nodes_of(sample))
    above = data.draw(st.sampled_from([n for n in sample.nodes if all(a >= b for a, b in zip(n, node, strict=True))]))
    fine, coarse = (NodeClasses(sample.table).at(n) for n in (node, above))
    bad, still_bad = (criterion.violations(c, np.ones(len(c), dtype=bool)) for c in (fine, coarse))
    for joined in np.flatnonzero(still_bad):
        assert bad[fine.labels[coarse.labels == joined]].any()


@KINDS
@given(data=st.data())
@examples(30)
def test_what_a_criterion_implies_follows_from_it_and_survives_growth(kind, data):
    """Survives growth: a class that holds an admissible one is admissible, whatever else it holds."""
    sample = data.draw(samples(**SENSITIVE))
    criterion = data.draw(CRITERIA[kind](sample.sensitive_names[0]))
    implied = criterion.implied()
    if implied is None:
        assert isinstance(criterion, Comparison)
        return
    assert implied.implied() == implied
    node = data.draw(nodes_of(sample))
    above = data.draw(st.sampled_from([n for n in sample.nodes if all(a >= b for a, b in zip(n, node, strict=True))]))
    fine, coarse = (NodeClasses(sample.table).at(n) for n in (node, above))
    everything, still_everything = (np.ones(len(c), dtype=bool) for c in (fine, coarse))
    bad = implied.violations(fine, everything)
    assert not (bad & ~criterion.violations(fine, everything)).any()
    for joined in np.flatnonzero(implied.violations(coarse, still_everything)):
        assert bad[fine.labels[coarse.labels == joined]].all()


@pytest.mark.parametrize("diversity", [(0.1 + 0.2) / 0.1, 3 + 1e-13, 0.3 / 0.1, 3.0])
@pytest.mark.parametrize("kind", [EntropyDiversity, FrequencyDiversity])
def test_what_is_implied_follows_also_where_a_real_parameter_was_rounded(kind, diversity):
    """(0.1 + 0.2) / 0.1 is 3.0000000000000004: three equal shares meet it, so it cannot imply four values."""
    sample = table_of(
        {"q": (Role.QUASI_IDENTIFIER, ["x"]), "s": (Role.SENSITIVE, ["a", "b", "c"])},
        [("x", "a"), ("x", "b"), ("x", "c")],
    )
    classes = NodeClasses(sample.table).at((0,))
    criterion, everything = kind(diversity, "s"), np.ones(1, dtype=bool)
    assert not criterion.violations(classes, everything).any()
    assert not criterion.implied().violations(classes, everything).any()


@given(data=st.data())
@examples(100)
def test_several_criteria_leave_a_table_that_meets_them_all_judged_from_what_is_left(data):
    sample = data.draw(samples(**SENSITIVE))
    criteria = data.draw(criteria_about(sample, max_size=4))
    node = data.draw(nodes_of(sample))
    classes, found = NodeClasses(sample.table).at(node), naive.classes(sample, node)
    out = violations(criteria, classes)
    keys = class_keys(classes)
    gone = {key for key, bad in zip(keys, out, strict=True) if bad}
    left = [i for key, members in found.items() if key not in gone for i in members]
    for key, members in found.items():
        if key not in gone:
            assert all(naive.satisfied(sample, criterion, members, left) for criterion in criteria)
    assert gone == naive.suppressed(sample, criteria, found, node)


def test_a_suppressed_class_no_longer_counts_in_what_others_are_compared_with():
    """Two classes far from the third; once the third is gone, they are the whole table."""
    rows = [("x", "a")] * 2 + [("y", "a")] * 2 + [("z", "b")]
    sample = table_of({"q": (Role.QUASI_IDENTIFIER, ["x", "y", "z"]), "s": (Role.SENSITIVE, ["a", "b"])}, rows)
    classes = NodeClasses(sample.table).at((0,))
    judged = [KAnonymity(2), Closeness(0.1, "s")]
    shown = dict(zip([key[0] for key in class_keys(classes)], ~violations(judged, classes), strict=True))
    assert shown == {"x": True, "y": True, "z": False}
    assert Closeness(0.1, "s").violations(classes, np.ones(3, dtype=bool)).all()


def test_a_class_that_becomes_too_different_when_others_go_is_suppressed_too():
    """x has all a, y two in five, z none. Of the whole 12/19 are a: only z is far. Without z, 4/5: now y is far."""
    rows = [("x", "a")] * 10 + [("y", "a")] * 2 + [("y", "b")] * 3 + [("z", "b")] * 4
    sample = table_of({"q": (Role.QUASI_IDENTIFIER, ["x", "y", "z"]), "s": (Role.SENSITIVE, ["a", "b"])}, rows)
    classes = NodeClasses(sample.table).at((0,))
    closeness = Closeness(0.39, "s")
    names = [key[0] for key in class_keys(classes)]
    at_first = closeness.violations(classes, np.ones(3, dtype=bool))
    assert dict(zip(names, at_first, strict=True)) == {"x": False, "y": False, "z": True}
    assert dict(zip(names, violations([closeness], classes), strict=True)) == {"x": False, "y": True, "z": True}


def test_no_criteria_suppress_nothing():
    sample = table_of({"q": (Role.QUASI_IDENTIFIER, ["x", "y"])}, [("x",), ("y",)])
    assert violations([], NodeClasses(sample.table).at((0,))).tolist() == [False, False]


# Worked numbers


def worked(values, whole):
    """The classes of a table, and which one has these sensitive values; the other one has the values `whole`."""
    rows = [("x", v) for v in values] + [("y", v) for v in whole]
    sample = table_of(
        {
            "q": (Role.QUASI_IDENTIFIER, ["x", "y"]),
            "s": (
                Role.SENSITIVE,
                {
                    "3K": ("3K", "low", "*"),
                    "4K": ("4K", "low", "*"),
                    "5K": ("5K", "low", "*"),
                    "6K": ("6K", "mid", "*"),
                    "7K": ("7K", "mid", "*"),
                    "8K": ("8K", "mid", "*"),
                    "9K": ("9K", "high", "*"),
                    "10K": ("10K", "high", "*"),
                    "11K": ("11K", "high", "*"),
                },
            ),
        },
        rows,
    )
    classes = NodeClasses(sample.table).at((0,))
    return classes, [key[0] for key in class_keys(classes)].index("x")


def judged(criterion, values, whole=()):
    """The number of a class with these sensitive values in a table that has the values `whole` beside it."""
    classes, position = worked(values, whole)
    return float(criterion.measure(classes, np.ones(len(classes), dtype=bool))[position])


def is_bad(criterion, values, whole):
    """Whether that class violates the criterion."""
    classes, position = worked(values, whole)
    return bool(criterion.violations(classes, np.ones(len(classes), dtype=bool))[position])


def test_the_worked_examples_of_the_t_closeness_paper():
    """Li et al. 2007, §4.2: salaries 3K…11K; P1 = {3K, 4K, 5K} is at 0.375, P2 = {6K, 8K, 11K} at 0.167."""
    whole = ["3K", "4K", "5K", "6K", "7K", "8K", "9K", "10K", "11K"]
    by_order = Closeness(0.2, "s", Distance.ORDERED)
    low, mixed = ["3K", "4K", "5K"], ["6K", "8K", "11K"]
    assert judged(by_order, low, [v for v in whole if v not in low]) == pytest.approx(0.375)
    assert judged(by_order, mixed, [v for v in whole if v not in mixed]) == pytest.approx(1 / 6)
    by_tree = Closeness(0.2, "s", Distance.HIERARCHICAL)
    assert judged(by_tree, low, [v for v in whole if v not in low]) == pytest.approx(2 / 3)
    equal = Closeness(0.2, "s")
    assert judged(equal, low, [v for v in whole if v not in low]) == pytest.approx(2 / 3)


def test_worked_numbers_of_the_other_criteria():
    assert judged(EntropyDiversity(2, "s"), ["3K", "3K", "4K", "4K"]) == pytest.approx(2)
    assert judged(RecursiveDiversity(1, 2, "s"), ["3K"] * 5 + ["4K"] * 2 + ["5K"]) == pytest.approx(5 / 3)
    assert judged(RecursiveDiversity(1, 2, "s"), ["3K"] * 5) == inf
    assert judged(FrequencyDiversity(1.5, "s"), ["3K"] * 2 + ["4K"]) == pytest.approx(1.5)
    assert judged(Disclosure(1, "s"), ["3K", "4K"], ["3K", "4K", "4K", "4K"]) == pytest.approx(np.log(1.5))
    assert judged(Disclosure(1, "s"), ["3K"], ["4K"]) == inf
    assert judged(Likeness(1, "s"), ["3K", "4K"], ["3K", "4K", "4K", "4K"]) == pytest.approx(0.5)
    assert judged(Likeness(9, "s"), ["3K"], ["4K"]) == inf  # 1/2 doubles: a gain of 1 exceeds −ln(1/2)


@pytest.mark.parametrize(
    ("met", "missed", "values", "whole"),
    [
        (KAnonymity(3), KAnonymity(4), ["3K"] * 3, []),
        (DistinctDiversity(2, "s"), DistinctDiversity(3, "s"), ["3K", "4K", "4K"], []),
        (EntropyDiversity(2, "s"), EntropyDiversity(2.0001, "s"), ["3K", "4K"], []),
        (RecursiveDiversity(1.667, 2, "s"), RecursiveDiversity(1.666, 2, "s"), ["3K"] * 5 + ["4K"] * 2 + ["5K"], []),
        (RecursiveDiversity(2.01, 2, "s"), RecursiveDiversity(2, 2, "s"), ["3K"] * 2 + ["4K"], []),
        (FrequencyDiversity(1.5, "s"), FrequencyDiversity(1.5001, "s"), ["3K"] * 2 + ["4K"], []),
        (Closeness(0.5, "s"), Closeness(0.4999, "s"), ["3K"], ["4K"]),
        (Disclosure(0.4055, "s"), Disclosure(0.4054, "s"), ["3K", "4K"], ["3K", "4K", "4K", "4K"]),
        (Likeness(0.5, "s"), Likeness(0.4999, "s"), ["3K", "4K"], ["3K", "4K", "4K", "4K"]),
    ],
)
def test_a_class_on_the_threshold_is_told_from_one_beyond_it(met, missed, values, whole):
    """Equality meets the criteria whose definition says so; recursive diversity and δ-disclosure are strict."""
    assert not is_bad(met, values, whole)
    assert is_bad(missed, values, whole)


# Refusals


TABLE = table_of(
    {"q": (Role.QUASI_IDENTIFIER, ["x"]), "s": (Role.SENSITIVE, ["a", "b"]), "t": (Role.SENSITIVE, ["a"])},
    [("x", "a", "a")],
).table


@pytest.mark.parametrize(
    "criterion",
    [
        DistinctDiversity(2, "q"),
        EntropyDiversity(2, "q"),
        RecursiveDiversity(2, 2, "q"),
        FrequencyDiversity(2, "nobody"),
        Closeness(0.2, "q"),
        Disclosure(1, "q"),
        Likeness(1, "q"),
    ],
)
def test_a_criterion_about_a_column_that_is_not_sensitive_is_refused(criterion):
    with pytest.raises(SchemaError, match=r"a sensitive column, and '\w+' is not one; sensitive columns: 's', 't'"):
        criterion.check(TABLE)


def test_closeness_by_order_needs_a_declared_order():
    for wrong in ({"ordered": False}, {"origin": Origin.OBSERVED}):
        attributes = tuple(replace(a, domain=replace(a.domain, **wrong)) for a in TABLE.attributes)
        table = EncodedTable(attributes, TABLE.counts)
        with pytest.raises(SchemaError, match="column 's': t-closeness by order needs a declared, ordered domain"):
            Closeness(0.2, "s", Distance.ORDERED).check(table)
        Closeness(0.2, "s", Distance.HIERARCHICAL).check(table)
    Closeness(0.2, "s", Distance.ORDERED).check(TABLE)


def test_k_anonymity_has_a_meaning_for_every_table():
    KAnonymity(3).check(TABLE)
    for criterion in (DistinctDiversity(2, "s"), Disclosure(1, "s"), Likeness(1, "s"), Closeness(0.1, "t")):
        criterion.check(TABLE)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: KAnonymity(0), "k must be 1 or more; got 0"),
        (lambda: KAnonymity(2.5), "k must be a whole number; got 2.5"),
        (lambda: Disclosure(inf, "s"), "delta must be a number; got inf, which is not finite"),
        (lambda: Likeness(inf, "s"), "beta must be a number; got inf, which is not finite"),
        (lambda: DistinctDiversity(0, "s"), "diversity must be 1 or more; got 0"),
        (lambda: EntropyDiversity(0.99, "s"), "diversity must be 1 or more; got 0.99"),
        (lambda: FrequencyDiversity(float("nan"), "s"), "diversity must be a number; got nan, which is not finite"),
        (lambda: RecursiveDiversity(2, 0, "s"), "diversity must be 1 or more"),
        (lambda: RecursiveDiversity(2, 2.5, "s"), "diversity must be a whole number"),
        (lambda: RecursiveDiversity(-1, 2, "s"), "c must be 0 or more; got -1"),
        (lambda: Closeness(1.5, "s"), "closeness must be between 0 and 1; got 1.5"),
        (lambda: Closeness(-0.1, "s"), "closeness must be between 0 and 1"),
        (lambda: Disclosure(0, "s"), "delta of δ-disclosure must be above 0; got 0"),
        (lambda: Likeness(0, "s"), "beta of β-likeness must be above 0; got 0"),
    ],
)
def test_a_parameter_out_of_range_is_refused(make, sentence):
    with pytest.raises(ParameterError, match=sentence):
        make()


@KINDS
@given(data=st.data())
@examples(5)
def test_every_criterion_states_its_promise_and_knows_whether_it_compares(kind, data):
    criterion = data.draw(CRITERIA[kind]("illness"))
    assert isinstance(criterion, Criterion)
    assert kind == "k-anonymity" or "'illness'" in criterion.statement
    number = next(iter(criterion.__slots__))
    assert f"{getattr(criterion, number):g}" in criterion.statement
    assert criterion.is_relative == naive.is_relative(criterion)
