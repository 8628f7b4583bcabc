import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import attribute_of, categoricals, date_ranges, examples, grids

from shoal.data import shown
from shoal.data.domain import Categorical, Dates, Grid
from shoal.data.hierarchies.build import Flat
from shoal.data.recoding import Cut, Lookup
from shoal.data.shown import Distributions, Numbers, Spans, TreeNodes, ValueSets
from shoal.engines.codes.decoding import published_values

AGES = Grid.between(17, 90)
CITIES = Categorical(("Ulm", "Bonn", "Kiel"))


def spans(*pairs):
    return Spans(*(np.array(ends) for ends in zip(*pairs, strict=True)))


def sets(*some):
    return ValueSets(np.cumsum([0, *map(len, some)]), np.array([code for one in some for code in one]))


@pytest.mark.parametrize(
    ("domain", "pairs", "written"),
    [
        (AGES, [(0, 7), (8, 8), (0, 73)], ["17-24", "25", "*"]),
        (AGES.with_missing(), [(0, 7), (74, 74), (70, 74), (0, 74)], ["17-24", None, "87-90 or missing", "*"]),
        (Grid.between(-3, 3), [(0, 1), (4, 5)], ["[-3, -2]", "1-2"]),
        (Grid.between(0, 1, 0.25), [(0, 1), (2, 3)], ["[0, 0.25]", "[0.5, 0.75]"]),
        (CITIES, [(0, 1), (2, 2)], ["Ulm to Bonn", "Kiel"]),
    ],
)
def test_a_span_is_written_by_its_ends(domain, pairs, written):
    assert published_values(attribute_of("x", Flat(), domain), spans(*pairs)).to_pylist() == written


def test_a_set_is_written_by_its_members():
    attribute = attribute_of("x", Flat(), CITIES.with_missing())
    shown = sets([0, 2], [1], [3], [0, 1, 2, 3])
    assert published_values(attribute, shown).to_pylist() == ["{Ulm, Kiel}", "Bonn", None, "*"]


@given(domain=st.one_of(categoricals(), grids(), date_ranges()), data=st.data())
@examples(40)
def test_spans_and_sets_of_single_leaves_are_the_leaves_in_their_own_type(domain, data):
    attribute = attribute_of("x", Flat(), domain)
    codes = np.array(data.draw(st.lists(st.integers(0, domain.size - 1), min_size=1, unique=True)))
    leaves = published_values(attribute, TreeNodes(codes))
    assert published_values(attribute, Spans(codes, codes)).equals(leaves)
    assert published_values(attribute, sets(*([code] for code in codes.tolist()))).equals(leaves)


@given(domain=st.one_of(categoricals(), grids(), date_ranges()))
@examples(40)
def test_different_spans_are_written_differently(domain):
    attribute = attribute_of("x", Flat(), domain)
    pairs = [(a, b) for a in range(min(domain.size, 8)) for b in range(a, min(domain.size, 8))]
    written = published_values(attribute, spans(*pairs)).to_pylist()
    if isinstance(domain, Grid | Dates):
        assert len(set(written)) == len(pairs)


def test_numbers_are_written_with_as_many_digits_as_asked_for_and_nan_is_missing():
    values = np.array([1.25, -0.5, np.nan])
    attribute = attribute_of("x", Flat(), AGES)
    assert published_values(attribute, Numbers(values)).to_pylist() == [1.25, -0.5, None]
    assert published_values(attribute, Numbers(values, decimals=1)).to_pylist() == [1.2, -0.5, None]
    whole = published_values(attribute, Numbers(np.array([3.0, np.nan]), decimals=0))
    assert whole.to_pylist() == [3, None]
    assert str(whole.type) == "int64"


def test_a_distribution_is_written_as_json_without_the_values_that_do_not_occur():
    shown = Distributions(np.array([[2, 0, 2], [0, 1, 0]]), np.array([4, 1]))
    written = published_values(attribute_of("x", Flat(), CITIES), shown).to_pylist()
    assert written == ['{"Ulm": 0.5, "Kiel": 0.5}', '{"Bonn": 1.0}']


def test_a_cut_sends_values_to_the_piece_they_are_in():
    attribute = attribute_of("age", Flat(), Grid.between(0, 5))
    cut = Cut({"age": Lookup.of_spans(np.array([4, 4, 7, 7, 7, 1]))})
    found = cut.lookup(attribute)
    assert found.codes.tolist() == [0, 0, 1, 1, 1, 2]
    assert published_values(attribute, found.shown).to_pylist() == ["0-1", "2-4", "5"]
    assert cut.description(attribute) == {"pieces": 3}
    other = attribute_of("town", Flat(), CITIES)
    assert cut.lookup(other).codes.tolist() == [0, 1, 2]
    hidden = Lookup.of_nodes(np.full(3, other.hierarchy.root, dtype=np.int32))
    assert published_values(other, hidden.shown).to_pylist() == ["*"]


@given(domain=st.one_of(categoricals(), grids(), date_ranges()), is_missing=st.booleans())
@examples(40)
def test_many_spans_are_written_like_one(domain, is_missing):
    domain = domain.with_missing() if is_missing and domain.missing is None else domain
    attribute, ends = attribute_of("x", Flat(), domain), {0, 1, 2, domain.size - 2, domain.size - 1}
    pairs = [(a, b) for a in ends for b in ends if 0 <= a <= b < domain.size]
    alone = [shown.texts(attribute, spans(pair))[0] for pair in pairs]
    assert shown.texts(attribute, spans(*pairs)) == alone
    assert alone == [shown._span(attribute, a, b, shown._written(attribute, np.arange(domain.size))) for a, b in pairs]
