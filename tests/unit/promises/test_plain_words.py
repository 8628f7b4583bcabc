"""Every promise that Shoal makes has words for somebody who has never heard of such promises."""

import inspect
from fractions import Fraction

import pytest

from shoal import criteria
from shoal.criteria.base import unit_of
from shoal.criteria.registry import CRITERIA
from shoal.data.unit import Unit
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Relation, attributes
from shoal.promises import statements
from shoal.promises.guarantee import Basis, Guarantee
from shoal.promises.plain_words import BASES, plainly

ASKED = (
    criteria.KAnonymity(5),
    criteria.KAnonymity(5, Unit.PERSON),
    criteria.SequenceAnonymity(5),
    criteria.DistinctDiversity(2, "grade"),
    criteria.EntropyDiversity(1.5, "grade"),
    criteria.RecursiveDiversity(2.5, 2, "grade"),
    criteria.FrequencyDiversity(1.5, "grade"),
    criteria.FrequencyDiversity(2, "grade", Unit.PERSON),
    criteria.Closeness(0.2, "grade", criteria.Distance.ORDERED),
    criteria.Disclosure(1.5, "grade"),
    criteria.Likeness(1.5, "grade"),
    criteria.LKCPrivacy(2, 5, 0.5, "grade", ("mild",)),
    criteria.AverageRisk(0.2),
    criteria.RecordsAtRisk(0.2, 0.05),
    criteria.SampleUniqueness(0.05),
    criteria.PopulationUniqueness(0.05),
    criteria.KMap(5, "people.csv"),
    criteria.Presence("people.csv", 0.5, 0.1),
)
KNOWN = ("age", "to{wn}")


def said(statement, **more):
    return plainly(Guarantee(statement, Basis.VERIFIED, **more), KNOWN)


@pytest.mark.parametrize("criterion", ASKED, ids=lambda criterion: f"{criterion.name}-{unit_of(criterion).value}")
def test_every_criterion_has_plain_words(criterion):
    sentence = said(criterion.statement)
    assert sentence.endswith(".")
    assert "{0}" not in sentence


def test_every_criterion_is_looked_at():
    assert {case.name for case in ASKED} == set(CRITERIA)


ANON, ONE = PrivacyCost.of(1, "1e-6"), Fraction(1)
BY_METHODS = {
    "safepub_published": (ANON,),
    "k_epsilon_published": (10, ONE),
    "nsvdist_published": (5, Fraction(2)),
    "nsvdist_hardened": (5, Fraction(2)),
    "nsvdist_published_records": (5, Fraction(2)),
    "nsvdist_hardened_records": (Fraction(2),),
    "nothing_formal": ("values were swapped", ("income",)),
}
PRICED = {"safepub_fixed_scheme", "safepub_rigorous", "diffgen", "marginals", "k_epsilon_rigorous",
          "randomized_response", "microaggregation_published", "microaggregation_rigorous"}  # fmt: skip
"""What costs something is told by what it costs."""
ASIDE = {"marked", "formulas", "seeded", "linking_posterior"}


def test_every_statement_of_a_method_has_plain_words():
    made = {name for name, _ in inspect.getmembers(statements, inspect.isfunction) if not name.startswith("_")}
    assert made - {"shown"} == {*BY_METHODS, *PRICED, *ASIDE}
    for name, arguments in BY_METHODS.items():
        assert said(getattr(statements, name)(*arguments)).endswith("."), name


def test_what_is_told_is_what_is_promised():
    assert "one of at least 5 that look exactly alike in age" in said(criteria.KAnonymity(5).statement)
    assert said("no value of 'a' has more than 1/2 of any class (2-diverse by frequency)").endswith("one time in 2.")
    person = PrivacyCost.of(2, neighbors=Relation(ANON.neighbors, unit=Unit.PERSON))
    assert "that a person takes part" in said("2-DP", cost=person)
    assert "at most 7.39 (ε = 2). Who thought it 50% likely comes to 88.1%" in said("2-DP", cost=person)
    assert "what a person has in age and pay changes" in said(
        "x", cost=PrivacyCost.of(1, neighbors=attributes("pay", "age"))
    )
    assert "practically certain" in said("x", cost=PrivacyCost.of(9))
    assert "hardly anything" in said("x", cost=PrivacyCost.of(1000))


def test_a_name_is_told_as_it_is_and_many_are_not():
    assert "age and to{wn}" in said("5-anonymous: every record shares")
    assert "'a\\nb'" in plainly(Guarantee("5-anonymous: every record", Basis.VERIFIED), ["a\nb"])
    assert "the quasi-identifiers" in plainly(Guarantee("5-anonymous: every record", Basis.VERIFIED), list("abcdefg"))
    assert said("a promise of a plugin") == ""


def test_every_basis_is_explained():
    assert set(BASES) == set(Basis)
