"""Classes by prices: near cells, the best class of one, steps and the greedy order against their definitions."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_outcomes import assert_truthful, naive_loss
from local_requests import requests
from strategies import examples

import shoal
from shoal.data.schema import Role
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import TableSource
from shoal.errors import ParameterError
from shoal.methods.local_recoding import greedy_kernel, near_cells_kernel, prices, prices_kernel
from shoal.methods.local_recoding import method as local_recoding
from shoal.methods.local_recoding.near_cells_kernel import NearCells, near_cells
from shoal.methods.local_recoding.prices import PricedClasses
from shoal.methods.local_recoding.rounds import Rounds, dear_first
from shoal.methods.parts.cells import Cells
from shoal.methods.parts.company import completed
from shoal.methods.parts.judge import Judge
from shoal.methods.parts.publish import Publish

MUCH = 1 << 40


def lattice_cells(rounds, sizes, most, k):
    """Every cell of every node with the rows that it is near to, if these have k records: rows, cost, is lowest."""
    levels = rounds.levels
    for here in product(*(range(height + 1) for height in levels.heights)):
        inside = {}
        for row, codes in enumerate(rounds.codes):
            cost = sum(levels.cost[levels.at[j, level] + codes[j]] for j, level in enumerate(here))
            if cost <= most[row]:
                key = tuple(levels.group[levels.at[j, level] + codes[j]] for j, level in enumerate(here))
                inside.setdefault((key, cost), []).append(row)
        for (_, cost), rows in inside.items():
            if sum(sizes[row] for row in rows) >= k:
                is_lowest = all(
                    level == 0
                    or len({levels.group[levels.at[j, level - 1] + rounds.codes[row, j]] for row in rows}) > 1
                    for j, level in enumerate(here)
                )
                yield frozenset(rows), cost, is_lowest


def listed(cells):
    return [
        (frozenset(cells.rows[start:end].tolist()), cost)
        for start, end, cost in zip(cells.starts[:-1], cells.starts[1:], cells.costs, strict=True)
    ]


@st.composite
def priced(draw):
    """The rounds of a table, what a cell may cost for each row, k, and the cells that are near."""
    _, table, (criterion,) = draw(requests(with_criteria=False))
    cells = Cells.of(table, Publish.NODES, {})
    rounds, sizes = Rounds(cells, dear_first(cells)), table.counts.sizes
    most = np.array(draw(st.lists(st.sampled_from([0.0, 0.3, 1.0, 9.0]), min_size=len(sizes), max_size=len(sizes))))
    found, is_whole = near_cells(rounds.codes, sizes, most, criterion.k, rounds.levels, MUCH, MUCH)
    assert is_whole
    return rounds, sizes, most, criterion.k, found


def random_prices(data, rows):
    return np.array(data.draw(st.lists(st.integers(-4, 12), min_size=rows, max_size=rows))) / 4


@examples(80)
@given(case=priced())
def test_near_cells_are_those_of_the_lattice_and_each_other_one_is_in_one_that_costs_no_more(case):
    rounds, sizes, most, k, found = case
    everything = list(lattice_cells(rounds, sizes, most, k))
    kept = sorted((sorted(rows), cost) for rows, cost in listed(found))
    lowest = sorted((sorted(rows), cost) for rows, cost, is_lowest in everything if is_lowest)
    assert [rows for rows, _ in kept] == [rows for rows, _ in lowest]
    assert [cost for _, cost in kept] == pytest.approx([cost for _, cost in lowest])
    for rows, cost, _ in everything:
        assert any(rows <= other and price <= cost + 1e-12 for other, price in listed(found))


@examples(40)
@given(case=priced(), room=st.integers(0, 60), work=st.integers(0, 400))
def test_near_cells_are_all_or_said_not_to_be(case, room, work):
    rounds, sizes, most, k, found = case
    fewer, is_whole = near_cells(rounds.codes, sizes, most, k, rounds.levels, room, work)
    assert len(fewer.rows) <= room
    assert listed(fewer) == listed(found)[: len(fewer.costs)]
    if is_whole:
        assert listed(fewer) == listed(found)


@examples(20)
@given(case=priced())
def test_cells_are_the_same_whether_they_are_counted_by_number_or_hashed(case):
    rounds, sizes, most, k, found = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_cells_kernel, "_refine", near_cells_kernel._refine.py_func)
        patch.setattr(near_cells_kernel, "_DIRECT", 16)  # what is compiled knows the old number
        patch.setattr(near_cells_kernel, "near_cells", near_cells_kernel.near_cells.py_func)
        with np.errstate(over="ignore"):
            hashed, _ = near_cells_kernel.near_cells(rounds.codes, sizes, most, k, rounds.levels, MUCH, MUCH)
    assert listed(hashed) == listed(found)


@examples(100)
@given(
    left=st.lists(st.integers(0, 3), min_size=1, max_size=5),
    k=st.integers(1, 6),
    least=st.sampled_from([0.0, -1.0, -1e9]),
    data=st.data(),
)
def test_the_best_class_of_a_cell_gains_most_of_all_with_k_records(left, k, least, data):
    cell = NearCells(np.array([0, len(left)]), np.arange(len(left), dtype=np.int32), np.array([1.0]))
    paid, room = random_prices(data, len(left)), prices_kernel.room_to_choose(len(left))
    gain, records, rows = prices_kernel.best_class(cell, 0, np.array(left), paid, k, least, room)
    best = max(
        (
            sum(n * (price - 1.0) for n, price in zip(taken, paid, strict=True))
            for taken in product(*(range(most + 1) for most in left))
            if sum(taken) >= k
        ),
        default=-np.inf,
    )
    if best > least:
        assert gain == pytest.approx(best)
        assert records == room.many[:rows].sum() >= k
        assert len(set(room.row[:rows])) == rows
        assert all(0 < many <= left[row] for row, many in zip(room.row[:rows], room.many[:rows], strict=True))
        assert (room.many[:rows] * (paid[room.row[:rows]] - 1.0)).sum() == pytest.approx(best)
    else:
        assert gain <= least


def bound(cells, sizes, paid, k):
    room = prices_kernel.room_to_choose(len(sizes))
    gains = [prices_kernel.best_class(cells, c, sizes, paid, k, 0.0, room)[0] for c in range(len(cells.costs))]
    return float(paid @ sizes) - sum(max(gain, 0.0) for gain in gains)


@examples(60)
@given(case=priced(), steps=st.integers(0, 20), share=st.sampled_from([0.5, 0.9, 1.5]), data=st.data())
def test_steps_make_no_prices_worse(case, steps, share, data):
    _, sizes, _, k, cells = case
    paid = random_prices(data, len(sizes))
    found = prices_kernel.stepped_prices(cells, sizes, paid, k, steps, share, -0.1)
    assert bound(cells, sizes, found, k) >= bound(cells, sizes, paid, k) - 1e-9
    if steps == 0:
        assert np.array_equal(found, paid)


@examples(80)
@given(case=priced(), least=st.sampled_from([0.0, -0.5, -1e9]), data=st.data())
def test_greedy_classes_have_k_records_of_one_cell_until_none_gains_enough(case, least, data):
    _, sizes, _, k, cells = case
    paid = random_prices(data, len(sizes))
    source, label, many, left = greedy_kernel.greedy_classes(cells, sizes, paid, k, least, 0.01)
    assert np.array_equal(np.bincount(source, many, len(sizes)) + left, sizes)
    assert min(many, default=1) > 0
    for c in range(max(label, default=-1) + 1):
        assert many[label == c].sum() >= k
        assert any(set(source[label == c].tolist()) <= rows for rows, _ in listed(cells))
    room = prices_kernel.room_to_choose(len(sizes))
    for cell in range(len(cells.costs)):
        assert prices_kernel.best_class(cells, cell, left, paid, k, least, room)[0] <= least


@examples(80)
@given(request=requests(with_criteria=False), steps=st.integers(1, 12))
def test_every_record_is_in_one_class_of_k_and_classes_are_the_same_each_time(request, steps):
    _, table, (criterion,) = request
    cells, judge, sizes = Cells.of(table, Publish.NODES, {}), Judge(table, (criterion,)), table.counts.sizes
    rounds, rows = Rounds(cells, dear_first(cells)), np.arange(len(sizes))
    costs = cells.spent(rows, completed(cells, judge, rounds.classes(rows, judge)))
    found = [PricedClasses(cells, rounds, judge, steps).classes(rows, sizes, costs) for _ in range(2)]
    assert len(found[0]) == sizes.sum()
    assert found[0].min() >= 0
    assert min(np.bincount(np.unique(found[0], return_inverse=True)[1])) >= criterion.k
    assert np.array_equal(*found)


@examples(40)
@given(
    request=requests(with_criteria=False), steps=st.integers(1, 12), passes=st.integers(0, 2), block=st.integers(2, 30)
)
def test_prices_never_lose_more_than_none(request, steps, passes, block):
    _, table, (criterion,) = request
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_recoding, "_BLOCK", block)
        without, made = (
            shoal.LocalRecoding(k=criterion.k, passes=passes, prices=most).run(table) for most in (0, steps)
        )
    assert made.losses["loss"] <= without.losses["loss"] + 1e-12
    assert made.losses["loss"] == pytest.approx(naive_loss(table, made), abs=1e-12)
    assert_truthful(table, made)


def some_table():
    rng = np.random.default_rng(1)
    frame = pa.table({"age": rng.integers(0, 80, 400), "day": (rng.random(400) ** 2 * 60).astype(int)})
    schema = shoal.Schema()
    for name, size in (("age", 80), ("day", 60)):
        schema = schema.with_column(
            name, role="quasi-identifier", domain=(0, size - 1), hierarchy=shoal.intervals(2, 4, 8, 16)
        )
    return encode(LocalEngine(TableSource(frame)), schema, schema.names(Role.QUASI_IDENTIFIER))


@pytest.mark.parametrize("limit", ["_ROOM", "_WORK"])
def test_where_near_cells_are_too_many_classes_are_as_without_prices(limit):
    table = some_table()
    found = [shoal.LocalRecoding(k=5, prices=0).run(table)]
    with pytest.MonkeyPatch.context() as patch:
        for most in (0, 1 << 29):
            patch.setattr(prices, limit, most)
            found.append(shoal.LocalRecoding(k=5, prices=20).run(table))
    for name in ("source", "label", "sizes"):
        assert np.array_equal(getattr(found[0].sources, name), getattr(found[1].sources, name))
    assert found[2].losses["loss"] < found[0].losses["loss"]


def test_fewer_steps_than_none_are_refused():
    with pytest.raises(ParameterError):
        shoal.LocalRecoding(prices=-1)
