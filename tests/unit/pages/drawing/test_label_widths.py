"""Labels fit where they are put, and are cut only where they do not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.pages.drawing.label_widths import label_width, shortened, shortened_apart


@given(st.text(max_size=60), st.floats(20, 300), st.sampled_from([9.0, 11.0, 12.0]))
@example("W" * 60, 20, 12)
@example("👩‍⚕️" * 9, 50, 12)
@example("a\u0301" * 30, 40, 12)
def test_a_shortened_label_fits(label, room, size):
    short = shortened(label, room, size)
    assert label_width(short, size) <= room + 1e-6
    whole = " ".join(label.split())
    assert short == whole or (short.endswith("…") and whole.startswith(short[:-1]))
    if label_width(whole, size) <= room:
        assert short == whole


@given(st.lists(st.text(max_size=40), max_size=8), st.floats(30, 120))
def test_labels_kept_apart_fit_too(labels, room):
    short = shortened_apart(labels, room, 11)
    assert len(short) == len(labels)
    assert all(label_width(label, 11) <= room + 1e-6 for label in short)


def test_of_labels_that_begin_alike_the_ends_are_kept():
    short = shortened_apart(["department of cardiology", "department of neurology", "ward"], 90, 11)
    assert short[0].endswith("logy")
    assert short[0] != short[1]
    assert short[2] == "ward"


@pytest.mark.parametrize(
    ("narrow", "wide"), [("i", "m"), ("a", "W"), ("e\u0301", "ee"), ("あ", "👍"), ("1,000", "100%%")]
)
def test_narrow_is_narrower_than_wide(narrow, wide):
    assert 0 < label_width(narrow, 12) < label_width(wide, 12)


def test_accents_take_no_room():
    assert label_width("é", 12) == label_width("e", 12) == label_width("e\u0301", 12)
