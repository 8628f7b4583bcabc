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
from shoal.methods.local_recoding import dividing_kernel, joins_kernel, moves_kernel, rounds_kernel, shelves_kernel
from shoal.methods.local_recoding import method as local_recoding
from shoal.methods.local_recoding.rounds import Rounds, dear_first
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
@given(request=requests(with_criteria=False), is_dear_first=st.booleans())
def test_the_kernel_finds_the_classes_of_the_judged_rounds(request, is_dear_first):
    _, table, (criterion,) = request
    cells = Cells.of(table, Publish.NODES, {})
    rounds, rows = Rounds(cells, dear_first(cells) if is_dear_first else None), np.arange(len(table.counts))
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


@examples(30)
@given(request=requests(with_criteria=False), room=st.integers(0, 60))
def test_costs_are_the_same_whether_they_are_written_down_beforehand_or_not(request, room):
    _, table, (criterion,) = request
    cells, sizes = Cells.of(table, Publish.NODES, {}), table.counts.sizes
    label = completed(cells, Judge(table, (criterion,)), np.full(len(sizes), -1))
    found, written = [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            joins_kernel, "all_joins", joins_kernel.all_joins.py_func
        )  # what is compiled knows the old number
        for wide, most in ((10**6, 1 << 22), (10**6, room), (0, 1 << 22)):
            patch.setattr(joins_kernel, "WIDE", wide)
            patch.setattr(joins_kernel, "_ROOM", most)
            written.append(joins_kernel.all_joins(cells.prices).start >= 0)
            made = local_recoding._improved(cells, label, [np.arange(len(sizes))], criterion.k, 2)
            found.append([made.source.tolist(), made.label.tolist(), made.sizes.tolist()])
    assert written[0].all()
    assert not written[2].any()
    assert found[0] == found[1] == found[2]


@examples(60)
@given(request=requests(with_criteria=False), data=st.data())
def test_two_classes_are_divided_as_well_as_can_be(request, data):
    _, table, _ = request
    cells = Cells.of(table, Publish.NODES, {})
    leaves, joins = local_recoding._leaves(cells), joins_kernel.all_joins(cells.prices)
    pool = data.draw(st.lists(st.integers(0, len(leaves) - 1), min_size=2, max_size=8))
    k, many = data.draw(st.integers(1, len(pool))), len(pool)

    def price(units):
        shown = Partition(np.array(units), np.zeros(len(units), dtype=np.int64), np.ones(len(units), dtype=np.int64))
        return len(units) * sum(
            cells._entry_costs(j, entries)[0] for j, (entries, _) in enumerate(cells.shown(shown).values())
        )

    ways = [[unit for i, unit in enumerate(pool) if way >> i & 1] for way in range(1 << many)]
    rests = [[unit for i, unit in enumerate(pool) if not way >> i & 1] for way in range(1 << many)]
    best = min(
        sum(price(half) for half in halves if half)
        for halves in zip(ways, rests, strict=True)
        if all(not half or len(half) >= k for half in halves)
    )
    search = dividing_kernel.room_to_search(leaves.shape[1])
    search.unit[:many] = pool
    assert not dividing_kernel.divided(cells.prices, joins, leaves, many, k, best - 1e-6, search)
    search.unit[:many] = pool
    assert dividing_kernel.divided(cells.prices, joins, leaves, many, k, best + 1e-6, search)
    assert sorted(search.unit[:many]) == sorted(pool)
    halves = [
        [int(unit) for unit, half in zip(search.unit, search.best[:many], strict=False) if half == h] for h in (0, 1)
    ]
    assert all(not half or len(half) >= k for half in halves)
    assert sum(price(half) for half in halves if half) == pytest.approx(best, abs=1e-9)


@examples(20)
@given(request=requests(with_criteria=False), units=st.integers(0, 12), work=st.integers(0, 40))
def test_dividing_few_units_or_with_little_work_never_loses_either(request, units, work):
    _, table, (criterion,) = request
    cells, sizes, k = Cells.of(table, Publish.NODES, {}), table.counts.sizes, criterion.k
    label = completed(cells, Judge(table, (criterion,)), np.full(len(sizes), -1))
    losses = [cells.loss(Partition.whole(label, sizes))]
    with pytest.MonkeyPatch.context() as patch:
        for kernel in ("class_moves", "_divide", "divided"):  # what is compiled knows the old numbers
            patch.setattr(moves_kernel, kernel, getattr(moves_kernel, kernel).py_func)
        patch.setattr(moves_kernel, "MOST_UNITS", units)
        patch.setattr(dividing_kernel, "_MOST_WORK", work)
        for passes in (0, 1):
            made = local_recoding._improved(cells, label, [np.arange(len(sizes))], k, passes)
            assert min(sum(records.values()) for records in members(made)) >= k
            losses.append(cells.loss(made))
    assert losses == sorted(losses, reverse=True) or np.allclose(losses, sorted(losses, reverse=True), atol=1e-12)


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


@examples(40)
@given(request=requests(with_criteria=False), depth=st.integers(0, 3), data=st.data())
def test_every_class_is_on_the_shelf_of_its_nodes_wherever_it_stood_before(request, depth, data):
    _, table, _ = request
    cells = Cells.of(table, Publish.NODES, {})
    leaves, joins, classes = local_recoding._leaves(cells), joins_kernel.all_joins(cells.prices), 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shelves_kernel, "_chosen", shelves_kernel._chosen.py_func)
        patch.setattr(shelves_kernel, "_DEPTH", depth)
        shelves = shelves_kernel.empty_shelves.py_func(leaves, classes, cells.prices, joins)
    assert len(shelves.columns) <= depth
    nodes = {}
    for _ in range(data.draw(st.integers(1, 30))):
        c, unit = data.draw(st.integers(0, classes - 1)), data.draw(st.integers(0, len(leaves) - 1))
        nodes[c] = leaves[unit]
        shelves_kernel.put(shelves, cells.prices, c, leaves[unit])
    found, used, ways = [], 0, [(0, ())]
    for shelf, way in ways:  # grows while it is gone through
        below = shelves.below[shelf]
        assert below >= 0 or shelf == 0  # nothing is on the root alone, before there are classes
        following = shelves.next_class if len(way) == len(shelves.columns) else shelves.following
        while below >= 0:
            if len(way) == len(shelves.columns):
                found.append((int(below), way))
            else:
                used += 1
                ways.append((int(below), (*way, int(shelves.node[below]))))
            below = following[below]
    assert sorted(found) == [(c, tuple(int(nodes[c][j]) for j in shelves.columns)) for c in sorted(nodes)]
    assert len({way for _, way in ways}) == len(ways)
    assert used + shelves.many[0] == len(shelves.free) - 1


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
