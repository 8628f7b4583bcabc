"""Labels cover neither each other nor a mark, and stand by their points."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from shoal.pages.drawing.placing import Box, place_labels

WITHIN = Box(0, 0, 400, 300)
PLACES = st.tuples(st.floats(0, 400), st.floats(0, 300))


@given(st.lists(PLACES, max_size=20), st.lists(PLACES, max_size=10), st.floats(10, 150))
def test_labels_cover_nothing(points, others, width):
    marks = [*points, *others]
    boxes = place_labels(points, [(width, 14)] * len(points), marks, WITHIN, radius=5, line=points)
    placed = [box for box in boxes if box is not None]
    assert len(boxes) == len(points)
    assert all(WITHIN.holds(box) for box in placed)
    assert not any(one.overlaps(other) for one, other in combinations(placed, 2))
    assert not any(box.overlaps(Box(x - 5, y - 5, x + 5, y + 5)) for box in placed for x, y in marks)


@given(PLACES)
def test_a_single_label_stands_beside_its_point(point):
    (box,) = place_labels([point], [(60, 14)], [point], WITHIN, radius=5)
    assert box.distance(point) < 20


def test_a_label_keeps_off_the_line_and_off_other_points():
    line = [(100.0, 100.0), (300.0, 100.0)]
    (box,) = place_labels([line[0]], [(80, 14)], line, WITHIN, radius=5, line=line)
    assert not box.overlaps(Box(100, 99, 300, 101))
    (box,) = place_labels([(100.0, 100.0)], [(40, 14)], [(100.0, 100.0), (125.0, 88.0)], WITHIN, radius=5)
    assert box.distance((100.0, 100.0)) < box.distance((125.0, 88.0))


def test_where_everything_is_taken_there_is_no_label():
    assert place_labels([(20.0, 20.0)], [(500, 14)], [(20.0, 20.0)], WITHIN, radius=5) == [None]
