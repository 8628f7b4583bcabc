"""Elements are well-formed whatever is written in them."""

import xml.etree.ElementTree as ET
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.pages.drawing.axes import apart
from shoal.pages.drawing.label_widths import label_width
from shoal.pages.drawing.marks import legend, mark
from shoal.pages.drawing.shapes import number, picture, words

ANYTHING = st.text(st.characters(exclude_categories=[]), max_size=40)


@given(ANYTHING, ANYTHING, ANYTHING)
def test_a_picture_is_well_formed_and_says_what_it_was_told(title, description, label):
    root = ET.fromstring(picture(10, 10, [words((1, 2), label, full="<x>")], title=title, description=description))
    assert [child.tag.rpartition("}")[2] for child in root] == ["title", "desc", "text"]
    assert len(root[2].text or "") == len(label.replace("\r\n", "\n"))


@given(st.floats(-1e6, 1e6))
def test_a_coordinate_has_two_decimals(value):
    assert abs(float(number(value)) - value) <= 0.00501
    assert "e" not in number(value)
    assert number(value) != "-0"


def test_every_series_has_a_mark_of_its_own():
    assert len({mark(series, (0, 0)) for series in range(14)}) == 14


@given(st.lists(st.text(max_size=30), max_size=14))
def test_a_legend_stays_within_its_width(names):
    parts, height = legend([(lambda at: mark(0, at), name) for name in names], 4, 10, 300)
    root = ET.fromstring(picture(308, 10 + height, parts, title="t", description="d"))
    texts = [element for element in root if element.tag.endswith("text")]
    assert len(texts) == len(names)
    for text in texts:
        assert float(text.get("x")) + label_width(text.text or "", 11) <= 304.01
        assert float(text.get("y")) < 10 + height


@given(st.lists(st.tuples(st.floats(0, 500), st.text(max_size=8)), max_size=12))
def test_labels_of_an_axis_stand_apart_and_the_first_is_kept(ticks):
    places, labels = [place for place, _ in ticks], [label for _, label in ticks]
    kept = apart(places, labels)
    assert kept[:1] == ([0] if ticks else [])
    for i, j in combinations(kept, 2):
        assert abs(places[i] - places[j]) >= (label_width(labels[i], 11) + label_width(labels[j], 11)) / 2


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_no_coordinate(value):
    with pytest.raises(ValueError, match="coordinate"):
        number(value)
