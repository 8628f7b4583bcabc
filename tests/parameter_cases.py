"""One valid instance of every class that takes parameters, and why the other dataclasses take none.

A public dataclass that stands in neither list fails `test_parameters`; one that stands in `INSTANCES` is fed all that a
parameter could wrongly be.
"""

import datetime as dt
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from inspect import isclass
from pathlib import Path
from pkgutil import walk_packages

import cases

import shoal
from shoal import attacks, criteria, evaluate, quality
from shoal.attacks.release.trying import Options
from shoal.data.hierarchies.build import Balanced, DateLevels, Intervals
from shoal.data.hierarchies.paths import Paths, Prefixes
from shoal.data.hierarchies.standards.standard import Standard
from shoal.dp.accounting.concentrated import ConcentratedCost
from shoal.dp.accounting.relation import attributes
from shoal.dp.accounting.threshold import SampleAndThreshold
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.ledger.store import LedgerStore
from shoal.dp.mechanisms.best_of_runs import BestOfRuns
from shoal.dp.mechanisms.gaussian import DiscreteGaussian
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.dp.mechanisms.rounded_laplace import RoundedLaplace
from shoal.dp.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from shoal.engines.lazy.addresses import Address
from shoal.engines.lazy.files import Computing
from shoal.engines.reading.csv_source import CsvSource
from shoal.engines.reading.layout import ColumnLayout, DateFormat, Layout
from shoal.methods.safepub.distinct_persons import CountsPersons
from shoal.methods.safepub.whole_persons import WholePersons
from shoal.plan.budget import BudgetPlan
from shoal.plan.plan import DataPlan
from shoal.promises.about import About
from shoal.promises.guarantee import Basis

PACKAGES = (
    "shoal.attacks",
    "shoal.audit",
    "shoal.cluster",
    "shoal.criteria",
    "shoal.dp",
    "shoal.evaluate",
    "shoal.methods",
    "shoal.quality",
    "shoal.risk",
)
"""Where parameters are given to classes, beside `shoal` itself."""
MODULES = (
    "shoal.attacks.release.trying",
    "shoal.data.domain",
    "shoal.data.hierarchies.build",
    "shoal.data.hierarchies.paths",
    "shoal.data.hierarchies.standards.standard",
    "shoal.data.schema",
    "shoal.engines.lazy.addresses",
    "shoal.engines.lazy.files",
    "shoal.engines.reading.csv_source",
    "shoal.engines.reading.layout",
    "shoal.ledger",
    "shoal.plan.plan",
    "shoal.plan.budget",
    "shoal.promises.about",
    "shoal.promises.guarantee",
    "shoal.promises.verify",
)


def classes():
    """Every public dataclass of these parts that is made with arguments."""
    modules = [import_module(name) for name in ("shoal.api", *PACKAGES, *MODULES)]
    for name in PACKAGES:
        modules += [import_module(part.name) for part in walk_packages(import_module(name).__path__, f"{name}.")]
    found = {}
    for module in modules:
        for thing in vars(module).values():
            is_ours = isclass(thing) and thing.__module__.startswith("shoal.") and not thing.__name__.startswith("_")
            inside = is_ours and (thing.__module__.startswith(PACKAGES) or thing.__module__ in MODULES)
            if inside and is_dataclass(thing) and any(field.init for field in fields(thing)):
                found[f"{thing.__module__}.{thing.__name__}"] = thing
    return found


def outcome():
    """A small release, for what is asked about releases."""
    return shoal.OLA(k=5).anonymize(cases.table(60), cases.schema()).outcome


def instances():
    """Valid instances, with as many parameters given as can be."""
    release = outcome()
    table = release.table
    cost = shoal.PrivacyCost.of("0.5", "1e-6")
    request = {"k": 3, "diversity": 1.5, "closeness": 0.4, "criteria": (criteria.KAnonymity(2),)}
    weights = {"age": 2.0}
    return [
        attacks.Composition(columns=("age",), targets=10, seed=1),
        attacks.EmpiricalEpsilon(seconds=2.0, most_runs=500, seed=1),
        attacks.Inference(column="grade", known=0.5, targets=10, seed=1, columns=("age",), learner="naive-bayes"),
        attacks.Linkage(known=0.5, targets=10, seed=1, columns=("age",)),
        attacks.Membership(targets=10, seed=1),
        attacks.Nearest(release, ("age",)),
        attacks.PersonLinkage(known=0.5, targets=10, seed=1, columns=("age",)),
        Options(known=0.5, targets=10, seed=1, learner="naive-bayes", seconds=1.0),
        criteria.Closeness(0.2, "grade", criteria.Distance.ORDERED),
        criteria.Disclosure(1.5, "grade"),
        criteria.Likeness(1.5, "grade"),
        criteria.DistinctDiversity(2, "grade"),
        criteria.EntropyDiversity(1.5, "grade"),
        criteria.RecursiveDiversity(2.5, 2, "grade"),
        criteria.FrequencyDiversity(1.5, "grade"),
        criteria.KAnonymity(5),
        criteria.LKCPrivacy(2, 5, 0.5, "grade", ("mild",)),
        criteria.AverageRisk(0.2),
        criteria.RecordsAtRisk(0.2, 0.05),
        criteria.SampleUniqueness(0.05),
        criteria.PopulationUniqueness(0.05),
        criteria.KMap(5, "people.csv"),
        criteria.Presence("people.csv", 0.5, 0.1),
        criteria.SequenceAnonymity(5),
        shoal.Categorical(("a", "b"), ordered=True, missing=1),
        shoal.Grid(0, 1, 10, 2, has_missing=True),
        shoal.Dates(dt.date(2020, 1, 1), dt.date(2030, 1, 1), has_missing=True),
        shoal.Column("age", shoal.Role.QUASI_IDENTIFIER, shoal.Grid(0, 1, 10), shoal.flat(), missing=True),
        shoal.Schema((shoal.Column("age"),)),
        Intervals((Decimal(5), Decimal(10)), Decimal(1)),
        DateLevels(("month", "year")),
        Balanced(("a", "b"), 3),
        Paths((("a", "*"), ("b", "*"))),
        Prefixes((3, 2)),
        Standard("nace2", "division", dots=False),
        cost,
        shoal.Guarantee("it is so", Basis.PROVED, ("you see it",), shoal.Neighbors.ADD_REMOVE, cost),
        BestOfRuns(epsilon=Fraction(1), decay=Fraction(1, 2)),
        ConcentratedCost(Fraction(1, 2)),
        attributes("age"),
        DiscreteGaussian(rho=Fraction(1, 2), delta=Fraction(1, 10**6), sensitivity=1),
        DiscreteLaplace(epsilon=Fraction(1, 2), sensitivity=1),
        RoundedLaplace(epsilon=Fraction(1, 2), sensitivity=1),
        OneMinusExp(Fraction(9, 10)),
        PermuteAndFlip(epsilon=Fraction(1), score_range=Fraction(2), grid=Fraction(1, 4)),
        ExponentialMechanism(epsilon=Fraction(1), score_range=Fraction(2), grid=Fraction(1, 4)),
        SampleAndThreshold(rate=OneMinusExp(Fraction(1)), k=58),
        LedgerStore(Path("books"), 1.0),
        shoal.Ledger(Path("books"), "people", cost),
        CsvSource(Path("people.csv"), ";", "utf-8"),
        DateFormat("%d.%m.%Y"),
        ColumnLayout("born", ("%d.%m.%Y",), ("-999",), labels=True, names=("1,5",)),
        Layout(";", "utf-8", "Sheet 1", ",", ".", trim=True, columns=(ColumnLayout("born"),)),
        DataPlan(Path("people.csv"), ("", "?"), Layout(";", "utf-8")),
        Address("postgresql://host/db", "people", None, Path()),
        Computing("duckdb", "2GB"),
        BudgetPlan(cost, Path("books"), "people"),
        About("Patients", "City Hospital", "data@example.org"),
        evaluate.HeldOut(table, table, "grade", evaluate.Majority(), evaluate.Reading.GENERALIZED, 2, 1),
        evaluate.CrossValidation(table, "grade", evaluate.Majority(), 3, 1, evaluate.Reading.GENERALIZED, 2),
        evaluate.LogisticRegression(penalty=0.5, iterations=10),
        evaluate.BinaryTree(smallest=3),
        evaluate.RandomForest(trees=3, smallest=3, seed=1),
        evaluate.GradientBoosting(rounds=3, smallest=3, seed=1),
        evaluate.NaiveBayes(smoothing=0.5),
        evaluate.Query({"age": (1, 2)}),
        evaluate.Workload(queries=3, columns=(1, 2), points=0.5, combinations=2, seed=1),
        evaluate.DecisionTree(confidence=0.5, smallest=3),
        shoal.OptimalLattice(**request, suppression_limit=0.5, quality=shoal.Granularity(), time_limit=5.0),
        shoal.OLA(**request, suppression_limit=0.5, quality=shoal.Granularity(), floor={"age": 1}),
        shoal.SafePub(
            epsilon=1.5,
            delta="1e-4",
            quality=shoal.Granularity(),
            search_share=0.2,
            candidates=50,
            schemes=({"age": 1},),
            sampling_rate=Fraction(1, 2),
            expected_records=1000,
            steps=5,
            floor={"age": 1},
        ),
        shoal.SafePub(epsilon=1.5, delta="1e-4", several="persons"),
        CountsPersons(epsilon=1.5, delta="1e-4", several="persons", each=2),
        WholePersons(epsilon=1.5, delta="1e-4", several="whole", each=2),
        shoal.DiffGen(epsilon=Decimal("1.5"), target="grade", expected_records=1000, threshold=2, tune=(2, 4)),
        shoal.DiffGen(epsilon=1, target="grade", specializations=3, show="values"),
        shoal.Marginals(
            epsilon="1/2", delta="1e-6", target="grade", workload=(("age",),), weights=weights, expected_records=9
        ),
        shoal.DiffGen(epsilon="1/2", target="grade", specializations=3, choices=shoal.Choices.SEPARATE),
        shoal.MDAV(k=4, scale="range", block_size=100),
        shoal.MicroaggregationDP(epsilon=1.5, delta="1e-4", k=5, weights=weights, columns=2),
        shoal.MicroaggregationDP(epsilon=1.5, references=shoal.References.ONE),
        shoal.KEpsilon(
            epsilon=1.5,
            perturbed=("age",),
            anonymizer=shoal.Mondrian(k=4),
            bounds=(shoal.ClassBounds(column="age", lower=0, upper=9),),
            bounds_share=0.2,
        ),
        shoal.KEpsilon(epsilon=1.5, perturbed=("age",), mode=shoal.Mode.AS_PUBLISHED, confidence=0.5, digits=2),
        shoal.ClassBounds(column="age", lower=0.5, upper=9.5, where={"town": "Ulm"}),
        shoal.Mondrian(**request, split="relaxed", publish="nodes", weights=weights),
        shoal.LocalRecoding(**request, publish="nodes", weights=weights, passes=2),
        shoal.CellSuppression(**request, weights=weights),
        shoal.NSVDist(k=4, diversity=1.5, output="records", publish="nodes", weights=weights, cluster_size=100),
        shoal.NSVDist(k=4, diversity="3/2", mode=shoal.Mode.AS_PUBLISHED, measure="entropy", ties="least-used"),
        shoal.Sequential(k=3, diversity=1.5, publish="nodes", weights=weights, passes=2),
        shoal.NHAA(diversity=3, publish="nodes", weights=weights),
        shoal.TDS(**request, target="grade"),
        shoal.PRAM(perturbed=("town",), epsilon="1/2", anonymizer=shoal.Mondrian(k=4)),
        shoal.PRAM(perturbed=("town",), matrices={"town": {"a": {"a": 0.5, "b": "1/2"}, "b": {"b": 1}}}),
        shoal.PRAM(perturbed=("town",), invariant=0.8),
        shoal.RankSwapping(perturbed=("age",), distance=0.2, anonymizer=shoal.Mondrian(k=4)),
        shoal.Noise(perturbed=("age",), amount=0.5, correlated=True, anonymizer=shoal.Mondrian(k=4)),
        shoal.PAIS(length=2, k=3, confidence=0.5, sensitive_values=("mild",), utility="info-gain", target="grade"),
        quality.Granularity(weights),
        quality.Intensity(weights),
        quality.Precision(weights),
        quality.ShannonEntropy(weights),
        quality.Loss(weights),
        quality.Classification("grade"),
        quality.NonUniformEntropy(weights),
    ]


FOUND = "what was found or measured; Shoal makes it, nobody gives it"
INSIDE = "a part of a method or a mechanism; Shoal makes it from parameters that were read"
ABSTRACT = "cannot be made; the classes derived from it are here"

WITHOUT = {
    FOUND: """
        shoal.attacks.composition.CompositionFound shoal.attacks.composition.ValuesFound
        shoal.attacks.empirical_epsilon.EpsilonFound shoal.attacks.inference.InferenceFound
        shoal.attacks.interval.Difference shoal.attacks.interval.Rate shoal.attacks.linkage.LinkageFound
        shoal.attacks.membership.MembershipFound shoal.attacks.overlap.OverlapFound shoal.attacks.release.trying.Tried
        shoal.attacks.person_linkage.PersonLinkageFound
        shoal.audit.bill.Bill shoal.audit.blackbox.Finding shoal.audit.enumeration.Distribution shoal.audit.loss.Loss
        shoal.audit.minimality.Minimality shoal.audit.overlap.Overlap shoal.dp.ledger.account.Account
        shoal.dp.ledger.account.Limit shoal.dp.ledger.account.Unbounded shoal.dp.ledger.ledger.Entry
        shoal.dp.ledger.ledger.Part shoal.dp.ledger.rows.Raise shoal.dp.ledger.rows.Spending
        shoal.evaluate.dependence.Dependence shoal.evaluate.dependence.DependenceKept
        shoal.evaluate.left_out.Group shoal.evaluate.left_out.LeftOut
        shoal.evaluate.information_loss.Quality shoal.evaluate.learning.classifier.Accuracy
        shoal.evaluate.learning.tree.Tree shoal.evaluate.marginals.Marginal shoal.evaluate.masking.Improvement
        shoal.evaluate.queries.QueryErrors shoal.promises.verify.Verdict shoal.quality.base.Change
        shoal.risk.attribute_disclosure.AttributeDisclosure shoal.risk.attribute_disclosure.DisclosureBeforeAndAfter
        shoal.risk.class_sizes.Attacker shoal.risk.class_sizes.ClassSizeRisk shoal.risk.class_sizes.RiskBeforeAndAfter
        shoal.risk.household_risk.HouseholdRisk shoal.risk.linking.Links shoal.risk.pitman.Pitman
        shoal.risk.population.PopulationRisk shoal.risk.population.PopulationRiskBeforeAndAfter
        shoal.risk.presence.Presence
        shoal.risk.special_uniques.Combination shoal.risk.special_uniques.SpecialUniques
        shoal.risk.uniqueness.PopulationUniques
    """,
    INSIDE: """
        shoal.data.hierarchies.build.UsualHierarchy
        shoal.attacks.composition.Side shoal.attacks.guessing.AskNearest shoal.attacks.guessing.Learn
        shoal.attacks.release.opening.Attacked
        shoal.audit.overlap.Sets shoal.cluster.space.CategoryAxis shoal.cluster.space.NumberAxis
        shoal.cluster.space.Space shoal.cluster.taxonomy.Taxonomy
        shoal.dp.accounting.bad_event.BadEvent shoal.dp.accounting.binomial_tail.Trials
        shoal.dp.accounting.interval.Interval shoal.dp.accounting.persons_profile.PersonsProfile
        shoal.dp.accounting.profile.Profile shoal.dp.coins.tail.LogisticTail
        shoal.dp.coins.tail.Tail shoal.dp.ledger.fingerprint.Dataset shoal.dp.ledger.key.LedgerKey
        shoal.dp.ledger.rows.DatasetId shoal.dp.ledger.rows.Row shoal.dp.ledger.store.Reservation
        shoal.evaluate.learning.examples.Examples shoal.evaluate.learning.folds.PublishedFolds
        shoal.evaluate.masking.Masked shoal.evaluate.posterior.OverList shoal.evaluate.posterior.OverRange
        shoal.methods.k_epsilon.columns.PerturbedColumn shoal.methods.k_epsilon.noise.ClassNoise
        shoal.methods.k_epsilon.records.Records shoal.methods.k_epsilon.records.View
        shoal.methods.diffgen.division.Division shoal.methods.diffgen.score.Score shoal.methods.diffgen.values.Measured
        shoal.methods.marginals.budget.Split shoal.methods.marginals.class_tables.ClassTables
        shoal.methods.marginals.fitting.Fit shoal.methods.marginals.groups.boxes.Boxes
        shoal.methods.marginals.groups.choosing.Choosing
        shoal.methods.marginals.groups.group.Group shoal.methods.marginals.leaves.Leaves
        shoal.methods.local_recoding.prices.PricedClasses
        shoal.methods.marginals.purse.ConcentratedPurse shoal.methods.marginals.purse.PurePurse
        shoal.methods.microaggregation.noise.Clusters shoal.methods.nsvdist.entropy.EntropyPrices
        shoal.methods.nsvdist.feasibility.Fillable shoal.methods.nsvdist.greedy.Masked
        shoal.methods.nsvdist.space.Prices shoal.methods.nsvdist.space.Space shoal.methods.parts.cells.Cells
        shoal.methods.parts.pricing.Priced shoal.methods.perturbation.transitions.Matrix
        shoal.methods.perturbation.transitions.Response shoal.methods.parts.rings.Rings
        shoal.methods.safepub.expected_scores.SurvivalTable shoal.plan.plan.Plan
        shoal.risk.classed.ClassedNumbers
    """,
    ABSTRACT: """
        shoal.methods.full_domain.request.FullDomainRequest shoal.methods.parts.class_request.ClassRequest
        shoal.methods.perturbation.request.PerturbationRequest
        shoal.quality.cells.CellModel
    """,
}
"""Dataclasses that take no parameters of a user, by the reason."""
