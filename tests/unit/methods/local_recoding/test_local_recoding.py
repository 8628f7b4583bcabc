"""Local recoding: classes by definition, its rounds against the judged variant, and moves that never lose."""

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_outcomes import assert_truthful, members, naive_loss
from local_requests import PUBLISH, meets, requests
from strategies import examples

import shoal
from shoal.criteria import KAnonymity
from shoal.data.partition import Partition
from shoal.data.schema import Role
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import TableSource
from shoal.errors import InfeasibleError, ParameterError
from shoal.methods.local_recoding import method as local_recoding
from shoal.methods.local_recoding import moves_kernel, rounds_kernel, shelves_kernel
from shoal.methods.local_recoding.rounds import Rounds
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.company import completed
from shoal.methods.parts.judge import Judge
from shoal.methods.parts.publish import Publish


@examples(80)
@given(request=requests(), publish=PUBLISH, passes=st.integers(0, 2), data=st.data())
def test_everything_is_published_in_admissible_classes_and_loses_what_is_said(request, publish, passes, data):
    sample, table, criteria = request
    weights = {name: data.draw(st.sampled_from([0.5, 1.0, 3.0])) for name in sample.quasi_names}
    method = shoal.LocalRecoding(
        k=criteria[0].k, criteria=criteria[1:], publish=publish, passes=passes, weights=weights
    )
    outcome = method.run(table)
    assert_truthful(table, outcome)
    assert outcome.losses["loss"] == pytest.approx(naive_loss(table, outcome, weights), abs=1e-12)
    names = [attribute.name for attribute in table.quasi_identifiers]
    alike, groups = outcome.published.group(names)
    classes = [Counter() for _ in range(groups)]
    sources = outcome.sources
    for source, label, size in zip(sources.source, sources.label, sources.sizes, strict=True):
        classes[alike[label]][int(source)] += int(size)
    assert all(meets(sample, criteria, records) for records in classes)


@examples(80)
@given(request=requests(with_criteria=False))
def test_the_kernel_finds_the_classes_of_the_judged_rounds(request):
    _, table, (criterion,) = request
    cells = Cells.of(table, Publish.NODES, {})
    rounds, rows = Rounds(cells), np.arange(len(table.counts))
    judge = Judge(table, (criterion,))
    fast, slow = rounds.classes(rows, judge), rounds.judged_classes(judge)
    assert np.array_equal(fast < 0, slow < 0)
    for first, second in product(rows, rows):
        assert (fast[first] == fast[second]) == (slow[first] == slow[second])


def test_cells_too_many_to_be_counted_by_number_are_hashed():
    rng = np.random.default_rng(4)
    frame = pa.table({"zip": rng.integers(0, 250, 3000), "day": (rng.random(3000) ** 3 * 4000).astype(int)})
    schema = shoal.Schema()
    for name, size in (("zip", 250), ("day", 4000)):
        schema = schema.with_column(
            name, role="quasi-identifier", domain=(0, size - 1), hierarchy=shoal.intervals(5, 50)
        )
    table = encode(LocalEngine(TableSource(frame)), schema, schema.names(Role.QUASI_IDENTIFIER))
    criterion = KAnonymity(3)
    judge, rounds, rows = Judge(table, (criterion,)), Rounds(Cells.of(table, Publish.NODES, {})), len(table.counts)
    fast, slow = rounds.classes(np.arange(rows), judge), rounds.judged_classes(judge)
    assert rounds_kernel._DIRECT < 250 * 4000  # by number zip and day would need more room than there is
    assert len(np.unique(fast)) == len(np.unique(slow)) == len(np.unique(np.stack([fast, slow]), axis=1).T)


@examples(80)
@given(request=requests(with_criteria=False), block=st.integers(2, 30))
def test_moves_never_lose_and_keep_k_records_in_every_class(request, block):
    _, table, (criterion,) = request
    cells, k = Cells.of(table, Publish.NODES, {}), criterion.k
    judge, sizes = Judge(table, (criterion,)), table.counts.sizes
    label = completed(cells, judge, Rounds(cells).classes(np.arange(len(sizes)), judge))
    before = cells.loss(Partition.whole(label, sizes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_recoding, "_BLOCK", block)
        blocks = local_recoding._whole_classes(local_recoding._blocks(cells, k), label)
    assert sorted(np.concatenate(blocks)) == list(range(len(sizes)))
    losses = [before]
    for passes in (0, 1, 3):
        made = local_recoding._improved(cells, label, blocks, k, passes)
        assert min(sum(records.values()) for records in members(made)) >= k
        assert np.array_equal(np.bincount(made.source, made.sizes), sizes)
        losses.append(cells.loss(made))
    assert losses == sorted(losses, reverse=True) or np.allclose(losses, sorted(losses, reverse=True), atol=1e-12)


@examples(10)
@given(request=requests(with_criteria=False))
def test_costs_are_the_same_whether_they_are_written_down_beforehand_or_not(request):
    _, table, (criterion,) = request
    cells, sizes = Cells.of(table, Publish.NODES, {}), table.counts.sizes
    label = completed(cells, Judge(table, (criterion,)), np.full(len(sizes), -1))
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for kernel in ("class_moves", "_best_class", "_best_donor"):  # what is compiled knows the old number
            patch.setattr(moves_kernel, kernel, getattr(moves_kernel, kernel).py_func)
        for wide in (10**6, 0):
            patch.setattr(moves_kernel, "_WIDE", wide)
            made = local_recoding._improved(cells, label, [np.arange(len(sizes))], criterion.k, 2)
            found.append([made.source.tolist(), made.label.tolist(), made.sizes.tolist()])
    assert found[0] == found[1]


@examples(20)
@given(request=requests(with_criteria=False))
def test_shelves_hide_no_class_that_would_have_been_better(request):
    _, table, (criterion,) = request
    cells, sizes = Cells.of(table, Publish.NODES, {}), table.counts.sizes
    label = np.arange(len(sizes)) if sizes.min() >= criterion.k else np.zeros(len(sizes), dtype=np.int64)
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moves_kernel, "class_moves", moves_kernel.class_moves.py_func)
        patch.setattr(moves_kernel, "empty_shelves", shelves_kernel.empty_shelves.py_func)
        for columns in (shelves_kernel._chosen, lambda *_: np.zeros(0, dtype=np.int64)):
            patch.setattr(shelves_kernel, "_chosen", columns)
            made = local_recoding._improved(cells, label, [np.arange(len(sizes))], criterion.k, 2)
            found.append([made.source.tolist(), made.label.tolist(), made.sizes.tolist()])
    assert found[0] == found[1]


@examples(60)
@given(request=requests(with_criteria=False), block=st.integers(2, 10), is_small=st.booleans())
def test_large_tables_and_lattices_go_through_blocks_and_cuts(request, block, is_small):
    _, table, (criterion,) = request
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_recoding, "_BLOCK", block)
        patch.setattr(local_recoding, "is_small", lambda *_, **__: is_small)
        outcome = shoal.LocalRecoding(k=criterion.k).run(table)
    assert_truthful(table, outcome)
    assert outcome.search["loss"] == pytest.approx(naive_loss(table, outcome), abs=1e-12)


def test_it_loses_no_more_than_full_domain_generalization_without_suppression():
    rng = np.random.default_rng(3)
    frame = pa.table({"age": rng.integers(0, 80, 500), "town": rng.choice(["Ulm", "Bonn", "Köln"], 500)})
    tree = shoal.tree({"*": {"south": ["Ulm"], "west": ["Bonn", "Köln"]}})
    schema = shoal.Schema().with_column(
        "age", role="quasi-identifier", domain=(0, 79), hierarchy=shoal.intervals(5, 10, 20)
    )
    schema = schema.with_column("town", role="quasi-identifier", hierarchy=tree)
    best = shoal.OptimalLattice(k=5, suppression_limit=0.0).anonymize(frame, schema)
    local = shoal.LocalRecoding(k=5).anonymize(frame, schema)
    assert local.facts.losses["loss"] < best.facts.losses["loss"]
    assert local.facts.suppressed == 0


def test_what_makes_no_sense_is_refused():
    for wrong in ({"passes": -1}, {"passes": 1.5}, {"publish": "levels"}, {"weights": 3}, {"k": True}):
        with pytest.raises(ParameterError):
            shoal.LocalRecoding(**wrong)
    schema = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 9))
    with pytest.raises(InfeasibleError):
        shoal.LocalRecoding(k=4).anonymize(pa.table({"age": [1, 2, 3]}), schema)
