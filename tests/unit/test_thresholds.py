"""Every size at which the code goes another way, and that both ways come to the same.

A private method may not change its law at a size that one record decides (theory X-2). So every number that a module of
`PARTS` keeps at its top stands in one of the lists below, and a new one fails until it does:

- `SAME`: both sides of the threshold give the same release, record for record and draw for draw;
- `LAW`: draws differ, their law does not; named are the tests that hold both sides against the same law;
- `PUBLIC`: what it decides follows from what is public, or is a method's without differential privacy;
- `NO_SIZE`: units, precisions, shares, marks: part of a definition.
"""

# ruff: noqa: E501  the inventory names constants and tests by where they stand

import ast
import datetime as dt
import importlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.cluster import mdav_kernel as mdav
from shoal.dp.coins.coins import SeededCoins
from shoal.search.top_down import combinations_kernel as combinations

ROOT = Path(shoal.__file__).parent
TESTS = Path(__file__).parents[1]
PARTS = ("search", "kernels", "methods", "engines", "dp", "cluster")

# What is run on both sides.

DAYS = (dt.date(2024, 1, 1), dt.date(2024, 12, 31))
GROUPS = {"*": {"north": ["a", "b"], "south": ["c", "d", "e"]}}
COLUMNS = {
    "age": {"domain": (0, 149), "hierarchy": shoal.intervals(10, 50)},
    "born": {"domain": DAYS, "hierarchy": shoal.dates("month")},
    "town": {"hierarchy": shoal.tree(GROUPS)},
    "sex": {"domain": ["f", "m"]},
}
TYPES = {"age": pa.int64(), "born": pa.date32(), "town": pa.string(), "sex": pa.string()}


def schema(names):
    """Everything declared; the first column alone is wider than a cube of the last ones may be."""
    made = shoal.Schema(person="row")
    for name in names:
        made = made.with_column(name, role="quasi-identifier", **COLUMNS[name])
    return made


@cache
def table(names, records):
    """So many records: the last one is what the table has more than its neighbor."""
    rng = np.random.default_rng(7)
    rows = {
        "age": [int(x) // 5 * 5 for x in rng.normal(60, 20, records).clip(0, 149)],
        "born": [DAYS[0] + dt.timedelta(days=int(x) // 9 * 9) for x in rng.integers(0, 366, records)],
        "town": ["abcde"[int(x)] for x in rng.integers(0, 5, records)],
        "sex": ["fm"[int(x)] for x in rng.integers(0, 2, records)],
    }
    return pa.table({name: pa.array(rows[name], TYPES[name]) for name in names})


ONE, ALL = ("age",), ("age", "born", "town", "sex")
TABLES = [(ONE, 0), (ONE, 1), (ONE, 40), (ALL, 0), (ALL, 1), (ALL, 90), (ALL, 91)]
"""No record, one, one column, and neighbors."""
CALM = [(names, records) for names, records in TABLES if records >= 40]
"""For methods that refuse a table too small for them."""

EASY = {"epsilon": 4, "delta": 0.05}
QUALITIES = [shoal.Loss(), shoal.GroupSize(), shoal.Discernibility(), shoal.NonUniformEntropy()]
SAFEPUB = [shoal.SafePub(**EASY, quality=quality) for quality in QUALITIES]
SAFEPUB_ALL = [
    *SAFEPUB,
    shoal.SafePub(**EASY, quality=shoal.Classification("sex")),
    shoal.SafePub(**EASY, mode=shoal.Mode.AS_PUBLISHED, steps=5),
]
DIFFGEN = [
    shoal.DiffGen(epsilon=4, target="sex"),
    shoal.DiffGen(epsilon=4, target="sex", show="groups"),
    shoal.DiffGen(epsilon=4, target="sex", utility=shoal.Utility.INFO_GAIN),
    shoal.DiffGen(epsilon=4, target="sex", mode=shoal.Mode.AS_PUBLISHED, specializations=3),
]
MARGINALS = [shoal.Marginals(epsilon=4, target="sex")]
MICRO = [shoal.MicroaggregationDP(epsilon=2, k=3), shoal.MicroaggregationDP(epsilon=2, delta=1e-3, k=3)]
K_EPSILON = [
    shoal.KEpsilon(epsilon=2, perturbed=("age",), anonymizer=shoal.OLA(k=2, suppression_limit=0.5)),
    shoal.KEpsilon(epsilon=4, perturbed=("age",), bounds_share=0.5, anonymizer=shoal.OLA(k=10, suppression_limit=1.0)),
]
LATTICE = [
    shoal.OptimalLattice(k=3, quality=quality, suppression_limit=0.3)
    for quality in (*QUALITIES, shoal.Classification("sex"))
]
CUTS = [shoal.TDS(k=3, target="sex"), shoal.PAIS(k=3, length=2, target="sex")]


def pairs(methods, tables):
    """Which methods run on which tables: some need a second column."""
    for method in methods:
        said = repr(method)
        needs_more = "'sex'" in said or "perturbed" in said
        yield from ((method, names, records) for names, records in tables if names == ALL or not needs_more)


PROBES = {
    "safepub": [*pairs(SAFEPUB, TABLES), *pairs(SAFEPUB_ALL[-2:], TABLES)],
    "diffgen": list(pairs(DIFFGEN, TABLES)),
    "microaggregation": list(pairs(MICRO, CALM)),
    "k-epsilon": list(pairs(K_EPSILON, [(ALL, 90), (ALL, 91)])),
    "lattice": list(pairs(LATTICE, CALM)),
    "cuts": list(pairs(CUTS, [(ALL, 90), (ALL, 91)])),
    "local": list(pairs([shoal.Mondrian(k=3), shoal.LocalRecoding(k=3), shoal.MDAV(k=3)], CALM)),
}
PROBES["private"] = [
    *pairs([SAFEPUB_ALL[0], SAFEPUB_ALL[4]], TABLES),
    *pairs(DIFFGEN[:1], TABLES),
    *pairs(MARGINALS, TABLES[-3:]),
    *pairs(MICRO[:1], CALM),
    *pairs(K_EPSILON[:1], [(ALL, 90), (ALL, 91)]),
]


def seen(method, names, records):
    """All that anybody gets to see of a release with coins that repeat themselves."""
    release = method.anonymize(table(names, records), schema(names), coins=SeededCoins(11))
    return release.certificate.to_json(), release.data.to_pydict(), release.groups.to_pydict()


@cache
def usual(probe):
    """What the thresholds as they are lead to."""
    return [seen(*case) for case in PROBES[probe]]


@dataclass(frozen=True)
class Switch:
    """Other values of a threshold, such that small tables are on its other side, and what is run with them."""

    values: tuple[int, ...]
    probes: tuple[str, ...]


def switch(*values, by):
    return Switch(values, tuple(by.split(", ")))


SAME = {
    "search.blocks.refinement._CELLS": switch(0, 1, 10, 10**6, by="safepub, lattice"),
    "search.blocks.refinement._CELLS_OF_ALL": switch(0, 1, 10, 10**6, by="safepub, lattice"),
    "search.blocks.refinement._CELLS_IN_ONE_PASS": switch(0, 1, 10, 10**6, by="safepub"),
    "search.blocks.refinement._CHUNK": switch(1, 7, 400, by="safepub, lattice"),
    "search.blocks.block_scores._MOSTLY": switch(0, by="safepub"),
    "search.blocks.block_scores._ROOM": switch(0, 5000, by="safepub"),
    "search.blocks.refinement._KEPT_BYTES": switch(0, by="safepub, lattice"),
    "search.blocks.refinement._ARRAY_BYTES": switch(1 << 28, by="safepub"),
    "search.blocks.refinement._MANY_VISITS": switch(0, 10**18, by="safepub, lattice"),
    "search.blocks.refinement._LARGEST_TALLY": switch(0, 90 * 367, by="safepub, lattice"),
    "search.blocks.refinement._WIDEST": switch(0, 1 << 12, 1 << 18, 1 << 24, by="safepub, lattice"),
    "search.evaluator._WIDE_ROWS": switch(0, by="safepub, lattice"),
    "search.lattice._WIDE_ROWS": switch(0, by="safepub, lattice"),
    "search.lattice._KEPT_BYTES": switch(0, 1 << 12, by="safepub, lattice"),
    "search.exhaustive._UNMERGED": switch(0, 9, by="lattice"),
    "search.top_down.scores._DENSE_CELLS_PER_RECORD": switch(0, 10**6, by="diffgen"),
    "search.top_down.scores._SMALLEST_DENSE": switch(0, by="diffgen"),
    "search.top_down.least_groups._DENSE_CELLS_PER_RECORD": switch(0, 10**6, by="cuts"),
    "search.top_down.least_groups._SMALLEST_DENSE": switch(0, by="cuts"),
    "kernels.grouping._DENSE_CELLS_PER_RECORD": switch(0, 10**4, by="private, lattice, local"),
    "kernels.grouping._SMALLEST_DENSE": switch(1, 1 << 20, by="private, lattice, local"),
    "methods.safepub.expected_scores._WIDEST": switch(1, by="safepub"),
    "methods.safepub.expected_scores._LARGEST_SCORE": switch(1, by="safepub"),
    "methods.safepub.expected_scores._LONGEST_TABLE": switch(0, by="safepub"),
    "methods.k_epsilon.columns._EXACT": switch(1 << 60, by="k-epsilon"),
    "engines.codes.encoding._PENDING": switch(0, 7, by="private"),
    "engines.reading.source.BATCH_ROWS": switch(1, 13, by="private"),
    "engines.writing.publishing._WRITE_ROWS": switch(1, 13, by="private"),
    "cluster.centers._EXACT": switch(0, by="microaggregation"),
    "cluster.taxonomy._EXACT": switch(0, by="microaggregation"),
    "cluster.taxonomy._CHUNK": switch(1, by="microaggregation"),
}
LAW = {
    "dp.mechanisms.cells._DENSE": "unit/dp/mechanisms/test_cells.py::test_lazy_draws_have_the_law_of_noise_on_every_cell",
    "dp.coins.coins._FEW": "statistical/test_samplers_fit.py::test_one_draw_at_a_time_and_in_bulk_agree_in_law",
    "dp.coins.coins._FEW_EXPONENTS": "statistical/test_samplers_fit.py::test_bernoulli_exp_one_by_one_and_in_bulk",
    "dp.coins.bulk._BLOCK": "unit/dp/coins/test_bulk.py::test_thinning_counts_the_heads_of_each_group",
    "dp.coins.bulk._EXACT_INT": "unit/dp/coins/test_bulk.py::test_gaussian_squares_need_not_fit_64_bits",
    "dp.coins.bulk._MOST_ROUNDS": "unit/dp/coins/test_bulk.py::test_a_broken_source_of_bits_does_not_loop_forever",
    "dp.coins.bulk._TOP_EXPONENT": "unit/dp/coins/test_bulk.py::test_binary_digits_make_a_geometric_number",
    "dp.coins.many_exponents._WIDEST": "unit/dp/coins/test_many_exponents.py::test_every_exponent_has_its_own_law_and_no_other",
    "dp.coins.brackets._FAR": "unit/dp/coins/test_brackets.py::test_far_candidates_are_not_impossible",
    "dp.coins.brackets._WIDE": "unit/dp/coins/test_brackets.py::test_integers_of_any_length_are_bracketed_too",
    "dp.mechanisms.selection._FAR": "unit/dp/mechanisms/test_selection.py::test_where_some_scores_are_only_bounded_the_law_is_that_of_the_true_ones",
    "dp.mechanisms.scores._LARGEST": "unit/dp/mechanisms/test_dp_scores.py::test_differences_that_do_not_fit_64_bits_stay_exact",
    "dp.mechanisms.laplace.LARGEST": "unit/dp/mechanisms/test_laplace.py::test_extreme_values_do_not_wrap_around",
    "dp.accounting.binomial_tail._EXACT_BELOW": "unit/dp/accounting/test_binomial_tail.py::test_log_factorial_encloses_the_truth",
    "cluster.mdav_kernel._BLOCK": "unit/test_thresholds.py::test_clusters_do_not_depend_on_how_many_distances_are_held",
    "cluster.mdav._SCANNED": "unit/cluster/test_box_tree.py::test_the_number_of_records_does_not_decide_how_they_are_clustered",
    "cluster.box_tree_kernel._LEAF": "unit/cluster/test_box_tree.py::test_clusters_are_those_of_a_look_at_all_points",
    "cluster.box_tree_kernel._SPARE": "unit/cluster/test_box_tree.py::test_clusters_are_those_of_a_look_at_all_points",
    "cluster.mdav_tree_kernel._LONG": "unit/cluster/test_box_tree.py::test_clusters_are_those_of_a_look_at_all_points",
    "search.top_down.combinations_kernel._LARGEST": "unit/test_thresholds.py::test_records_are_numbered_alike_whatever_fits",
    "search.top_down.combinations_kernel._FEWEST_SLOTS": "unit/test_thresholds.py::test_records_are_numbered_alike_whatever_fits",
}
PUBLIC = {
    "cluster.insensitive._MOST_CORNERS": "by the number of records, which is public under replace-one",
    "cluster.insensitive._MOST_PLACES": "by the number of records, which is public under replace-one",
    "cluster.orders._GREEDY_AXES": "by the number of columns",
    "cluster.orders._LARGEST": "by the declared domains: how fine the keys of an order are",
    "cluster.taxonomy.MOST_VALUES": "refuses by the declared domain",
    "dp.accounting.budget_range.LARGEST_EPSILON": "refuses by a parameter",
    "dp.accounting.budget_range.SMALLEST_DELTA": "refuses by a parameter",
    "dp.accounting.budget_range.SMALLEST_EPSILON": "refuses by a parameter",
    "dp.coins.bulk.SMALLEST_EXPONENT": "refuses by a parameter, a declared domain or the public number of records",
    "dp.mechanisms.scores._WIDEST_DENOMINATOR": "refuses scores that no method here has",
    "dp.accounting.persons_profile.MOST_EACH": "refuses by a parameter",
    "dp.accounting.threshold._LARGEST_K": "refuses by parameters",
    "dp.accounting.threshold._SELDOM": "refuses by parameters",
    "methods.marginals.leaves.MOST_VALUES": "by the declared domain",
    "methods.marginals.method.MOST_NOISE": "refuses by parameters and the number of columns",
    "methods.marginals.schema.MOST_CELLS": "refuses by declared domains",
    "methods.marginals.schema.MOST_THREES": "by the number of columns and a parameter",
    "methods.marginals.groups.choosing._ROUNDS": "by noisy numbers, which are paid for",
    "methods.marginals.groups.choosing._LEAST_LOOKED_AT": "by noisy numbers, which are paid for",
    "methods.marginals.groups.boxes._GRID": "by declared domains and noisy leaves, which are paid for",
    "methods.marginals.groups.boxes._FEWEST_BOXES": "by noisy numbers, which are paid for",
    "methods.marginals.groups.boxes._MOST_BOXES": "by noisy numbers, which are paid for",
    "methods.marginals.weights.rounding._MOST_CELLS": "by noisy leaves, which are paid for",
    "methods.marginals.weights.rounding._MOST_STEPS": "by noisy numbers, which are paid for",
    "methods.marginals.groups.choosing._SCORES": "by the number of columns and a parameter",
    "methods.marginals.groups.company._FEW_LEAVES": "by declared domains and noisy leaves, which are paid for",
    "methods.marginals.groups.company._THREE": "by declared columns: pairs stay pairs",
    "methods.marginals.groups.group._OF_KERNEL": "by the number of columns",
    "methods.marginals.groups.company._MOST": "by the number of columns",
    "methods.marginals.budget._LEAST_CELLS": "by noisy numbers, which are paid for",
    "methods.marginals.budget._MOST_CELLS": "by noisy numbers, which are paid for",
    "methods.marginals.budget._MANY_LEAVES": "by declared domains and noisy leaves, which are paid for",
    "methods.marginals.class_tables.MOST_RECORDS": "by noisy numbers, which are paid for",
    "methods.marginals.records.MOST_ROWS": "by noisy numbers, which are paid for",
    "methods.marginals.support._LEAST": "by noisy numbers, which are paid for",
    "methods.marginals.support._MOST": "by noisy numbers, which are paid for",
    "methods.diffgen.division.MOST_LEAVES": "by declared domains and noisy numbers, which are paid for",
    "methods.diffgen.division._LEAST_LEAVES": "by declared domains and noisy numbers, which are paid for",
    "methods.diffgen.division._MOST_CLASSES": "by the declared domain of the target",
    "search.blocks.pricing_compiled._AT_ONCE": "class sizes are added up exactly, however many at a time",
    "kernels.earning._made": "steps that were asked for: see `_LOADED`",
    "kernels.earning._LOADED": "compiled loops and those of NumPy give the same: `_MANY_VISITS`",
    "methods.diffgen.score._AT_ONCE": "scores of records one by one, however many at a time",
    "methods.diffgen.score._TWO": "by the declared domain of the target",
    "methods.diffgen.values.MOST_GROUPS": "the number of groups follows from earlier choices",
    "methods.diffgen.values.MOST_WEIGHTS": "by the declared domain of the target",
    "methods.diffgen.room.MOST_RECORDS": "by parameters, declared domains and the choices before",
    "methods.diffgen.shares.MOST_EACH": "refuses by max_records, which is declared",
    "methods.safepub.expected_scores._LARGEST_CLASS": "refuses by parameters",
    "engines.codes.coding._MOST_DIGITS": "judges one value by itself",
    "engines.writing.spreadsheets._AT_ONCE": "how many bytes are looked at at once, whatever they are",
    "dp.ledger.key._VERSION": "of a file, and no size",
    "engines.lazy.libraries._PARTITION": "how many rows come at once, whose order decides nothing",
    "engines.lazy.pushing.LONGEST_LIST": "the size of a declared domain",
    "engines.lazy.pushing._LONGEST_TABLE": "the size of a declared domain",
    "engines.lazy.room.BYTES": "warns, and only where no budget is spent",
    "engines.lazy.room._COLUMNS": "warns, and only where no budget is spent",
    "engines.codes.weights._LONGEST": "judges one weight by itself, which no private method reads",
    "engines.reading.csv_source._BLOCK": "how much of a file is read at once",
    "engines.reading.csv_source._KEPT_BYTES": "whether a file is parsed once or twice, to the same (test_csv)",
    "engines.reading.csv_source._HEADER": "the first line has no record",
    "engines.reading.damaged._AT_ONCE": "how much of a file is decoded at once",
    "engines.reading.distinct_values._TEXTS_AT_ONCE": "looks at identifiers, and at no column that a method protects",
    "engines.reading.distinct_values._WAITING": "looks at identifiers, and at no column that a method protects",
    "engines.reading.foreign.child._ROWS": "how many rows come at once",
    "engines.reading.foreign.codebook._FEWEST_LABELS": "by what a file says of a column, and by no record",
    "engines.reading.foreign.process._MEMORY": "refuses a file, before anything is spent",
    "engines.reading.foreign.process._MEMORY_PER_BYTE": "refuses a file, before anything is spent",
    "engines.reading.foreign.process._SECONDS": "refuses a file, before anything is spent",
    "engines.reading.foreign.process._SECONDS_PER_MEGABYTE": "refuses a file, before anything is spent",
    "engines.reading.layout.LAST_SHORT_YEAR": "judges one value by itself",
    "engines.reading.published_source._BLOCK": "reads what was published",
    "engines.writing.foreign.ROWS_OF_A_SHEET": "which sheet a published record stands on",
    "engines.codes.meanings._MOST_READINGS": "reads what was published",
    "engines.codes.reading_shares._LARGEST_WHOLE": "reads what was published",
    "engines.writing.scatter.BUCKET_ROWS": "columns passed through, which no private method has but k-epsilon, unprotected",
    "engines.writing.scatter._MOST_BUCKETS": "columns passed through, which no private method has but k-epsilon, unprotected",
    "engines.reading.value_digest._LONGEST_POWER": "the fingerprint of a dataset, which only its ledger holds",
    "engines.reading.value_digest._REMEMBERED": "the fingerprint of a dataset, which only its ledger holds",
    "methods.perturbation.transitions.MOST_VALUES": "refuses by declared domains and matrices",
    "methods.perturbation.transitions._LARGEST_SUM": "refuses by declared matrices",
    "methods.perturbation.transitions._LARGEST_EPSILON": "by epsilon",
    "methods.safepub.candidates._PATIENCE": "draws before the data are looked at",
    "methods.diffgen.growth._HIGHEST_PRICE": "prices follow from earlier choices",
    "methods.diffgen.growth._STEPS_DOWN": "candidates follow from earlier choices",
    "methods.diffgen.room.MOST_CELLS": "the number of cells follows from earlier choices",
    "methods.diffgen.room.MOST_ROWS": "the number of cells follows from earlier choices",
    "methods.k_epsilon.bounds._MOST_CELLS": "refuses by declared domains",
    "methods.k_epsilon.bounds._WORTH": "by class sizes, which neighbors of this method share",
    "engines.reading.csv_source._TAIL": "looked at where no method is private",
    "engines.memory._MOST": "refuses by a parameter",
    "engines.memory.LIBRARIES_BYTES": "decides what is said of a limit that was not enough, where no method is private",
    "engines.memory.CELL_BYTES": "refuses private methods by declared domains, others by their distinct records",
    "methods.microaggregation.noise._FEWEST_TO_SHRINK": "by the number of clusters, and of what is noisy already",
    "methods.microaggregation.mdav._EXACT_NUMBERS": "not private",
    "methods.microaggregation.mdav._EXACT_CATEGORIES": "not private",
    "methods.microaggregation.mdav._MANY_COLUMNS": "not private",
    "methods.microaggregation.mdav._WORK": "not private",
    "cluster.mdav._PAIRS": "not private: where persons are counted",
    "kernels.sequences._FEW": "not private; either way of sorting gives the same order of keys",
    "methods.local_recoding.method._BLOCK": "not private",
    "methods.local_recoding.method._WORK": "not private",
    "methods.local_recoding.dividing_kernel.MOST_UNITS": "not private",
    "methods.local_recoding.dividing_kernel._MOST_WORK": "not private",
    "methods.local_recoding.joins_kernel.WIDE": "not private; either way of finding a cost gives the same",
    "methods.local_recoding.joins_kernel._ROOM": "not private; either way of finding a cost gives the same",
    "methods.cell_suppression.optimal._MOST_CHOICES": "not private",
    "methods.cell_suppression.optimal._MOST_COLUMNS": "not private",
    "methods.cell_suppression.patterns._WORK": "not private",
    "methods.cell_suppression.patterns._LONG_WORK": "not private",
    "methods.local_recoding.near_cells_kernel._DIRECT": "not private; either way of counting cells gives the same",
    "methods.local_recoding.prices._NEAR": "not private",
    "methods.local_recoding.prices._NEAR_STEPS": "not private",
    "methods.local_recoding.prices._ROOM": "not private",
    "methods.local_recoding.prices._WORK": "not private",
    "methods.local_recoding.prices._BELOW": "not private",
    "methods.local_recoding.prices._ACTIVE": "not private",
    "methods.local_recoding.prices_kernel._EVERY": "not private",
    "methods.local_recoding.prices_kernel._SHORTEST": "not private",
    "methods.local_recoding.rounds_kernel._DIRECT": "not private; either way of counting cells gives the same",
    "methods.local_recoding.shelves_kernel._DEPTH": "not private; however classes are shelved, the same are found",
    "methods.local_recoding.shelves_kernel._PAIRS": "not private; however classes are shelved, the same are found",
    "methods.local_recoding.rounds._LARGEST_LATTICE": "not private",
    "methods.local_recoding.rounds._LARGEST_JUDGED_LATTICE": "not private",
    "methods.local_recoding.rounds._ROUNDS": "not private",
    "methods.mondrian.looking._NEAR": "not private",
    "methods.mondrian.looking._NEAR_NODES": "not private",
    "methods.mondrian.looking._NEAR_IN_LARGE": "not private",
    "methods.mondrian.looking._LARGE": "not private",
    "methods.mondrian.looking._COMPARED": "not private",
    "methods.mondrian.looking._LEAST": "not private",
    "methods.rivals.sequential._WORK": "not private; refuses by the number of distinct records",
    "methods.rivals.sequential_kernel._BLOCK": "not private",
    "methods.mondrian.judged._COMPILED": "not private; compiled or not, the classes are the same",
    "methods.mondrian.single._TRIES": "not private",
    "methods.parts.cells._ONE_INTEGER": "not private; sets are numbered alike either way",
    "methods.parts.rings._COMPILED": "not private; compiled or not, the order is the same",
    "methods.nsvdist.method.MOST_NUMBERS": "not private",
    "methods.nsvdist.greedy._CHUNK": "not private",
    "methods.nsvdist.space._BLOCK": "not private",
    "methods.nsvdist.sampling._AT_ONCE": "not private",
    "methods.full_domain.optimal_lattice._SMALL_LATTICE": "not private; either search finds a node of the least loss",
    "methods.full_domain.optimal_lattice._MOST_VISITS": "not private; either search finds a node of the least loss",
    "methods.full_domain.optimal_lattice._A_MINUTE": "not private; either search finds a node of the least loss",
    "search.column_pairs._MOST_TOGETHER": "not private; pairs have the same counts however they are counted",
    "search.column_pairs._LONG": "not private; pairs have the same counts however they are counted",
    "search.column_pairs._MOST_COLUMNS": "not private; pairs have the same counts however they are counted",
    "search.cubes._MOST_CUBES": "not private; classes have the same sizes however they are counted",
    "search.cubes._MOST_CELLS": "not private; classes have the same sizes however they are counted",
    "search.column_pairs._TELLS_LITTLE": "not private; pairs rule out no node that is admissible",
    "search.evaluator._PAIRS_TELL": "not private; pairs rule out no node that is admissible",
    "search.optimal._LARGE": "not private; with a good node to begin with or without, a node of the least loss is found",
    "methods.top_down.specializing._MOST_CELLS": "not private",
    "methods.full_domain.ola._SMALL_LATTICE": "not private; either search finds the same node",
    "search.minimal.LARGEST_LATTICE": "refuses by declared hierarchies",
}
NO_SIZE = {
    "units, grids and how fine they are": (
        "cluster.orders._FIXED_POINT",
        "cluster.taxonomy.UNIT",
        "engines.reading.keyed_source._LETTERS",
        "engines.reading.published_source._DAY",
        "search.top_down.purity_kernel.FINENESS",
        "methods.safepub.candidates._FINE",
        "methods.perturbation.noise._FINE",
        "methods.perturbation.transitions._FINE",
        "methods.diffgen.method._GRID",
        "methods.diffgen.growth._WEIGHT",
        "methods.diffgen.score._STEPS",
        "methods.diffgen.score._STEPS_A_CLASS",
        "methods.diffgen.score._UNITS",
        "methods.safepub.expected_scores._CELL",
        "methods.safepub.expected_scores._COARSE_STEP",
        "methods.safepub.expected_scores._STEP",
        "methods.k_epsilon.noise._FINE",
        "methods.k_epsilon.noise._ROUND_UP",
        "methods.microaggregation.noise._FINE",
        "methods.safepub.published._GRID",
        "methods.safepub.sampled_scores._FINE",
        "search.top_down.candidates._UNIT",
    ),
    "digits": (
        "cluster.showing._FURTHER_DIGITS",
        "engines.lazy.pushing._UNSURE",
        "engines.lazy.pushing._TOO_UNSURE",
        "engines.lazy.pushing._WHOLE",
        "engines.lazy.returning._BASE",
        "dp.accounting.interval.PLACES",
        "dp.accounting.interval.SHOWN_PLACES",
        "dp.accounting.persons_profile._BEYOND",
        "dp.accounting.persons_profile._STEPS",
        "dp.accounting.odds._CERTAIN",
        "dp.accounting.odds._SUREST",
        "methods.marginals.purse._DIGITS",
        "methods.microaggregation.method._DIGITS",
    ),
    "tables and series of proved precision": (
        "dp.accounting.binomial_tail.BITS",
        "dp.accounting.binomial_tail._COMMON",
        "dp.accounting.binomial_tail._NEGLIGIBLE",
        "dp.accounting.binomial_tail._ONE",
        "dp.accounting.binomial_tail._STIRLING_NEXT",
        "dp.coins.brackets.PRECISION",
        "dp.coins.brackets._DIGITS",
        "dp.coins.brackets._DIGIT_BITS",
        "dp.coins.brackets._POINT",
        "dp.coins.brackets._UNIT_BITS",
        "dp.coins.enclosures._GUARD",
        "dp.coins.enclosures._HALVINGS",
        "dp.coins.samplers._ONE",
        "dp.mechanisms.selection._NODES",
        "dp.mechanisms.selection._REACH",
    ),
    "roundings allowed for": (
        "methods.local_recoding.moves_kernel._LITTLE",
        "methods.rivals.sequential_kernel._LITTLE",
        "methods.diffgen.method._ROUNDING",
        "search.optimal._EQUAL",
        "search.best_minimal._EQUAL",
        "search.descent._FREE",
    ),
    "shares and prices of a method": (
        "methods.diffgen.growth.PRICE",
        "methods.diffgen.division.LEAST_FOR_TABLES",
        "methods.diffgen.division._ALONE",
        "methods.diffgen.division._FEW",
        "methods.diffgen.division._GROWN",
        "methods.diffgen.division._LITTLE",
        "methods.diffgen.division._MANY",
        "methods.diffgen.division._STEPS",
        "methods.diffgen.method._RECORDS_SHARE",
        "methods.diffgen.method._SCORE_SHARE",
        "methods.marginals.advice._POOR",
        "methods.marginals.advice.USELESS",
        "methods.marginals.budget.SIZE_SHARE",
        "methods.marginals.budget.EARLY_SIZE_SHARE",
        "methods.marginals.groups.choosing._FEWER_BOXES",
        "methods.marginals.budget.TREE_SHARE",
        "methods.marginals.budget._LEAST_FOR_CHOICES",
        "methods.marginals.budget._FEWER_GROUPS",
        "methods.marginals.budget.LEAST_FOR_TABLES",
        "methods.marginals.budget._RECORDS_A_BOX",
        "methods.marginals.budget._SCALES_A_LEAF",
        "methods.marginals.groups.choosing._NOISE",
        "methods.marginals.groups.choosing._LOOKED_AT",
        "methods.marginals.class_tables._TRUST",
        "methods.microaggregation.advice._MOST_NOISE",
        "methods.microaggregation.advice._POOLED",
        "methods.safepub.method._CLASSES_WORTH_HAVING",
    ),
    "part of the score, proved with it: purity cuts counts off (docs/proofs/diffgen.md, section 3)": (
        "search.top_down.purity_kernel._MOST",
    ),
    "proved: how far one record moves scores and decisions (docs/proofs/marginals.md)": (
        "methods.marginals.private_tree._LOSSES",
        "methods.marginals.purse._MOVES",
    ),
    "how noisy numbers are fitted, which looks at no record": (
        "methods.diffgen.ordering._TINY",
        "methods.diffgen.score._LEAST",
        "methods.diffgen.trust._LEAST_SHARE",
        "methods.diffgen.trust._TINY",
        "methods.diffgen.weighting._LEAST_OF_EXPECTED",
        "methods.diffgen.weighting._TINY",
        "methods.marginals.balancing._SMALLEST",
        "methods.marginals.balancing._SWEEPS",
        "methods.marginals.balancing._TINY",
        "methods.marginals.groups.boxes._APART",
        "methods.marginals.groups.boxes._SMALLEST",
        "methods.marginals.groups.boxes._TINY",
        "methods.marginals.groups.boxes._UNSURE",
        "methods.marginals.groups.cuts._ROUNDING",
        "methods.marginals.groups.choosing._SWEEPS",
        "methods.marginals.groups.choosing._DRAWN",
        "methods.marginals.class_tables._LEAST_SHARE",
        "methods.marginals.class_tables._TINY",
        "methods.marginals.purse._LEAST_NOISE",
        "methods.marginals.weights.raking._FARTHEST",
        "methods.marginals.weights.raking._LOOSE",
        "methods.marginals.weights.raking._NOTHING",
        "methods.marginals.weights.raking._SMALLEST",
        "methods.marginals.weights.raking._STEPS",
        "methods.marginals.weights.raking.SWEEPS",
        "methods.marginals.records._SEED",
        "methods.marginals.refining._SMALLEST",
        "methods.marginals.support._SEED",
        "methods.marginals.support._TINY",
        "methods.local_recoding.prices._TARGET",
        "methods.local_recoding.prices._LITTLE",
        "methods.local_recoding.prices_kernel._KEPT",
        "methods.local_recoding.prices_kernel._SHORTER",
    ),
    "marks": (
        "search.blocks.prospects.NOWHERE",
        "engines.codes.persons._NOBODY",
        "engines.codes.row_codes.UNKNOWN",
        "methods.local_recoding.near_cells_kernel._SPREAD",
        "methods.local_recoding.rounds_kernel._SPREAD",
        "search.top_down.combinations_kernel._SPREAD",
        "cluster.mdav_kernel._FAR",
        "methods.nsvdist.layout.GONE",
        "search.top_down.candidates.BRANCH",
        "search.top_down.cut._NO_NODE",
    ),
    "how often progress is told": ("search.blocks.block_scores._SELDOM", "search.blocks.every_score._SELDOM"),
}
INLINE = {
    ("cluster/orders.py", 63): "bits of a number: by the number of columns",
    ("dp/coins/brackets.py", 64): "the length of a table",
    ("dp/coins/bulk.py", 64): "bits of a word",
    ("dp/coins/bulk.py", 256): "a byte; how many proposals are drawn at once, of which the first accepted one is taken",
    ("dp/coins/coins.py", 63): "refuses more than a word can hold",
    ("dp/accounting/composition.py", 999): "a share: by parameters",
    ("dp/accounting/composition.py", 1000): "a share: by parameters",
    ("dp/mechanisms/gaussian.py", 100): "how an error is told: by parameters",
    ("dp/ledger/key.py", 32): "bytes of a key",
    ("dp/coins/many_exponents.py", 128): "half a byte",
    ("engines/codes/coding.py", 128): "bits of a type",
    ("engines/writing/foreign.py", 53): "whole numbers that a cell of Excel holds",
    ("engines/reading/distinct_values.py", 32): "bits of a type",
    ("engines/reading/distinct_values.py", 64): "bits of a type",
    ("methods/diffgen/room.py", 20): "advice, by public or noisy numbers",
    ("methods/diffgen/room.py", 300): "advice, by public or noisy numbers",
    ("methods/k_epsilon/noise.py", 700): "for the owner: no overflow of a hyperbolic sine",
    ("methods/safepub/method.py", 64): "how often progress is told",
    ("search/exhaustive.py", 256): "how often progress is told",
}
"""Numbers from 16 on that stand in the text of the code, in a comparison or in `min` or `max`, by file."""


def compared(path):
    """Such numbers of one file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        parts = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("min", "max"):
            parts = node.args
        leaves = [leaf.value for part in parts for leaf in ast.walk(part) if isinstance(leaf, ast.Constant)]
        yield from (value for value in leaves if type(value) in (int, float) and value >= 16)


def test_every_number_in_a_comparison_is_accounted_for():
    there = {(path.relative_to(ROOT).as_posix(), value) for path in modules() for value in compared(path)}
    assert there - INLINE.keys() == set()
    assert INLINE.keys() - there == set()


def numbers_of(path):
    """The names that a module binds to a number at its top."""
    module = importlib.import_module("shoal." + ".".join(path.relative_to(ROOT).with_suffix("").parts))
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            value = getattr(module, target.id, None) if isinstance(target, ast.Name) else None
            if is_number(value):
                yield target.id


def is_number(value):
    return isinstance(value, int | float | Fraction | np.number) and not isinstance(value, bool)


def modules():
    return [path for part in PARTS for path in sorted((ROOT / part).rglob("*.py"))]


def named(path, name):
    return ".".join((*path.relative_to(ROOT).with_suffix("").parts, name))


def test_every_number_that_a_module_keeps_is_accounted_for():
    """A new one is a threshold until somebody says what it is; one that is gone is no longer here."""
    there = {named(path, name) for path in modules() for name in numbers_of(path)}
    listed = [*SAME, *LAW, *PUBLIC, *(name for names in NO_SIZE.values() for name in names)]
    assert len(listed) == len(set(listed))
    assert there - set(listed) == set()
    assert set(listed) - there == set()


@pytest.mark.parametrize("name", SAME)
def test_both_sides_of_a_threshold_come_to_the_same(name, monkeypatch):
    where, constant = name.rsplit(".", 1)
    module, said = importlib.import_module(f"shoal.{where}"), SAME[name]
    before = {probe: usual(probe) for probe in said.probes}
    for value in said.values:
        assert value != getattr(module, constant)
        monkeypatch.setattr(module, constant, value)
        for probe in said.probes:
            for case, expected in zip(PROBES[probe], before[probe], strict=True):
                assert seen(*case) == expected, (value, case)


@pytest.mark.parametrize("test", sorted(set(LAW.values())))
def test_the_test_that_holds_both_sides_against_one_law_is_there(test):
    path, name = test.split("::")
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def test_clusters_do_not_depend_on_how_many_distances_are_held(monkeypatch):
    before = usual("local")
    monkeypatch.setattr(mdav, "_BLOCK", 7)
    monkeypatch.setattr(mdav, "cluster_points", mdav.cluster_points.py_func)  # what is compiled knows the old number
    for case, expected in zip(PROBES["local"], before, strict=True):
        if isinstance(case[0], shoal.MDAV):
            assert seen(*case) == expected


@pytest.mark.parametrize(("largest", "slots"), [(1 << 62, 1 << 12), (1, 1 << 12), (1 << 62, 2), (9, 2)])
def test_records_are_numbered_alike_whatever_fits(monkeypatch, largest, slots):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 5, (4, 60)).astype(np.int32)
    widths, columns = np.full(4, 5, dtype=np.int64), np.arange(4)
    first = {}
    expected = [first.setdefault(tuple(row), len(first)) for row in codes.T.tolist()]
    for name in ("_number", "_compact", "_slots"):
        monkeypatch.setattr(combinations, name, getattr(combinations, name).py_func)
    monkeypatch.setattr(combinations, "_LARGEST", largest)
    monkeypatch.setattr(combinations, "_FEWEST_SLOTS", slots)
    group = np.empty(60, dtype=np.int64)
    with np.errstate(over="ignore"):
        groups = combinations._number(columns, codes, widths, group, combinations._slots(60))
    assert groups == len(first)
    assert group.tolist() == expected
