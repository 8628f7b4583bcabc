"""Pictures are SVG that stands by itself: named, in the colors of the page, with its text as text that can be read."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.pages import charts
from shoal.pages.drawing.label_widths import label_width
from shoal.pages.drawing.placing import Box

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</text><script>alert(1)</script>",
    "\"&amp;'<b>$",
    "שלום עולם 12",
    "مستشفى",
    "\u202eoverridden",
    "a\0b\ud800\uffff",
    "東京都立病院の長い名前",
    "x" * 500,
    "",
    "tab\there\nand there",
    "\U0001f469\u200d\u2695\ufe0f nurse",
    "ё" * 40,
]
ODD = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0, -1.0, 1e16 + 2]


def scatter(points):
    from shoal.pages.compare import frontier

    best = [i for i in frontier([(x, y) for *_, x, y in points]) if np.isfinite(points[i][2:]).all()]
    return charts.scatter(points, best, title="Costs", across="loss", upwards="risk")


PICTURES = {
    "bars": lambda n: charts.bars({f"model $ {i} & <b>": i / 10 for i in range(n)}, title="Loss", top=1.0),
    "columns": lambda n: charts.columns({f"{i}-{i + 1}": float(i) for i in range(n)}, title="Sizes", across="size"),
    "upright": lambda n: charts.before_and_after(
        [f"2024-01-{i:02}" for i in range(n)], np.ones(n) / n, np.ones(n) / n, title="the day", upright=True
    ),
    "lying": lambda n: charts.before_and_after(
        [f"a rather long name of number {i}" for i in range(n)],
        np.ones(n) / n,
        np.zeros(n),
        title="names",
        upright=False,
    ),
    "ladder": lambda n: charts.ladder([(f"column {i}", i % 3, 3) for i in range(n)], title="Levels"),
    "segments": lambda n: charts.segments([(f"column {i}", [0.2, 0.5][: i % 3]) for i in range(n)], title="Pieces"),
    "heat": lambda n: charts.heat([f"column {i}" for i in range(n)], np.eye(n) * np.nan + 0.5, title="Association"),
    "curve": lambda n: charts.curve(
        [(2.0**i, (i + 1) / n) for i in range(n)], title="Risk", across="size", upwards="share", mark=2
    ),
    "accuracies": lambda n: charts.accuracies({f"tree {i}": (0.5, 0.7, 0.8) for i in range(n)}, title="Accuracy"),
    "intervals": lambda n: charts.intervals(
        [(f"attack {i}", 0.4, 0.3, 0.5) for i in range(n)], title="Rates", description="0.4 each"
    ),
    "scatter": lambda n: scatter([(f"method {i % 5}", f"method {i % 5} k={i}", i / n, 1 - i / n) for i in range(n)]),
}


def label_boxes(svg):
    """Where each text stands by the table of widths, from 0.75 of its size above its line to 0.2 below."""
    boxes = []
    for text in ET.fromstring(svg).iter(f"{SVG}text"):
        x, line, size = (float(text.get(key)) for key in ("x", "y", "font-size"))
        width = label_width(text.text or "", size)
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "start")]
        boxes.append((text.text, Box(left, line - 0.75 * size, left + width, line + 0.2 * size)))
    return boxes


def require_readable(svg):
    """No text covers another, and none is cut at the edge of the picture."""
    _, _, width, height = map(float, ET.fromstring(svg).get("viewBox").split())
    boxes = label_boxes(svg)
    edge = Box(-0.01, -0.01, width + 0.01, height + 0.01)
    for text, box in boxes:
        assert edge.holds(box), (text, box)
    for (text, box), (other, another) in combinations(boxes, 2):
        assert not box.overlaps(another), (text, other)


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("count", [1, 2, 12, 40])
def test_a_picture_is_one_named_element_without_a_color_of_its_own(kind, count):
    svg = PICTURES[kind](count)
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert len(title.text) >= 4
    assert len(description.text) >= 5
    assert set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg)) <= {"none"} | {
        f"var(--{name})" for name in ("ink", "soft", "line", "bar", "before", "warn", "paper", "on-bar")
    }
    assert not re.search(r"font-family|<style|style=|#[0-9a-fA-F]{6}\b|href|url\(", svg)
    assert float(root.get("viewBox").split()[2]) <= 900
    require_readable(svg)


@pytest.mark.parametrize("kind", [kind for kind in PICTURES if kind not in {"upright", "lying", "curve", "scatter"}])
def test_nothing_to_draw_is_a_picture_too(kind):
    require_readable(PICTURES[kind](0))


def test_no_points_and_no_bars_are_pictures_too():
    require_readable(charts.curve([], title="Risk", across="size", upwards="share", mark=None))
    require_readable(charts.scatter([], [], title="Costs", across="loss", upwards="risk"))
    for upright in (True, False):
        require_readable(charts.before_and_after([], np.array([]), np.array([]), title="none", upright=upright))


def test_pictures_that_say_different_things_share_no_identifiers():
    first, second = (set(re.findall(r'id="([^"]+)"', PICTURES["curve"](n))) for n in (5, 6))
    assert first
    assert not first & second


@pytest.mark.parametrize("kind", PICTURES)
def test_the_same_facts_give_the_same_picture(kind):
    assert PICTURES[kind](4) == PICTURES[kind](4)


@pytest.mark.parametrize("kind", PICTURES)
def test_coordinates_have_two_decimals_at_most(kind):
    root = ET.fromstring(PICTURES[kind](7))
    for element in root.iter():
        for name, value in element.attrib.items():
            if name in {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "points", "viewBox"}:
                assert re.fullmatch(r"-?\d+(\.\d{1,2})?([ ,]-?\d+(\.\d{1,2})?)*", value), (name, value)


def test_sizes_on_a_logarithmic_scale_are_written_as_plain_numbers():
    points = [(float(size), size / 84) for size in (5, 9, 20, 45, 84)]
    svg = charts.curve(points, title="Risk", across="size", upwards="share", mark=None)
    words = set(re.findall(r">([\d,.]+)</text>", svg))
    assert {"5", "10", "20", "50"} <= words
    assert "\N{MULTIPLICATION SIGN}" not in svg


def test_a_dollar_sign_is_a_dollar_sign():
    assert "&gt;50K$ to $100K</text>" in charts.bars({">50K$ to $100K": 1.0}, title="x")


def test_a_name_that_is_cut_is_told_in_full_where_the_pointer_rests():
    name = "the department of rather long names, second floor"
    (text,) = [
        t
        for t in ET.fromstring(charts.bars({name: 1.0}, title="Loss")).iter(f"{SVG}text")
        if t.find(f"{SVG}title") is not None
    ]
    assert text.text.endswith("…")
    assert text.find(f"{SVG}title").text == name


def test_long_names_that_begin_alike_do_not_look_alike():
    names = [f"a rather long name of a clinic that has number {i}" for i in range(3)]
    texts = [
        text.text for text in ET.fromstring(charts.bars(dict.fromkeys(names, 1.0), title="Loss")).iter(f"{SVG}text")
    ]
    assert len({text for text in texts if text.startswith("a rather")}) == 3


def test_bars_are_as_long_as_their_values():
    root = ET.fromstring(charts.bars({"a": 0.25, "b": 0.5, "c": 1.0, "d": np.nan, "e": np.inf}, title="Loss", top=1.0))
    widths = [float(bar.get("width")) for bar in root.iter(f"{SVG}rect")]
    assert widths[0] == pytest.approx(widths[2] / 4, abs=0.02)
    assert widths[1] == pytest.approx(widths[2] / 2, abs=0.02)
    assert widths[3:] == [0, widths[2]]
    assert {"–", "∞"} <= {text.text for text in root.iter(f"{SVG}text")}


def test_numbers_stand_on_columns_as_long_as_no_other_is_in_the_way():
    rising = charts.columns({str(i): 1000.0 * i * i for i in range(12)}, title="Sizes", across="records")
    assert {"81,000", "100,000", "121,000"} <= {text for text, _ in label_boxes(rising)}
    many = charts.columns({str(i): 1e6 + i for i in range(40)}, title="Sizes", across="records")
    assert "1,000,039" in {text for text, _ in label_boxes(many)}


def test_a_curve_rises_at_its_points_and_not_before():
    root = ET.fromstring(charts.curve([(1, 0.5), (10, 1.0)], title="Risk", across="size", upwards="share", mark=None))
    (line,) = root.iter(f"{SVG}polyline")
    corners = [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]
    (x0, bottom), (x1, half), (x2, still), (x3, top), *_ = corners
    assert x0 == x1
    assert still == half
    assert x2 == x3 > x1
    assert half == pytest.approx((bottom + top) / 2, abs=0.01)


LABELS = st.one_of(st.text(max_size=60), st.sampled_from(HOSTILE))
VALUES = st.one_of(st.floats(0, 1), st.floats(), st.sampled_from(ODD))


@settings(max_examples=60)
@given(st.dictionaries(LABELS, VALUES, max_size=12), st.sampled_from([None, 1.0]))
@example(dict.fromkeys(HOSTILE, 0.5), None)
@example({str(value): value for value in ODD}, None)
@example({str(value): value for value in ODD}, 1.0)
def test_whatever_the_names_and_numbers_bars_are_drawn_and_readable(rows, top):
    svg = charts.bars(rows, title="\0<b>", top=top)
    require_readable(svg)
    assert "<script" not in svg
    assert "<b>" not in svg
    require_readable(charts.columns(rows, title="Sizes", across="size"))
    require_readable(charts.accuracies({n: (v, v, 0.5) for n, v in rows.items()}, title="Accuracy"))
    require_readable(charts.intervals([(n, v, v, v) for n, v in rows.items()], title="Rates", description=""))


@settings(max_examples=60)
@given(st.lists(st.tuples(LABELS, VALUES, VALUES), max_size=24), st.booleans())
@example([(name, 0.5, 0.25) for name in HOSTILE], False)
@example([(name, 0.5, 0.25) for name in HOSTILE], True)
@example([("one", value, value) for value in ODD], True)
def test_whatever_is_distributed_is_drawn_and_readable(rows, upright):
    names, before, after = (
        [row[0] for row in rows],
        np.array([row[1] for row in rows]),
        np.array([row[2] for row in rows]),
    )
    require_readable(charts.before_and_after(names, before, after, title="<i>", upright=upright))
    require_readable(charts.heat(names, np.resize([*before, np.nan], (len(rows), len(rows))), title="Pairs"))


@settings(max_examples=60)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=30), st.one_of(st.none(), VALUES))
@example([(value, 0.5) for value in ODD], np.nan)
@example([(7.0, 1.0)], 7.0)
@example([(1e-300, 0.1), (1e300, 1.0)], 1e300)
def test_whatever_the_points_a_curve_is_drawn_and_readable(points, mark):
    require_readable(charts.curve(points, title="Risk", across="size", upwards="share", mark=mark))


@settings(max_examples=60)
@given(st.lists(st.tuples(LABELS, LABELS, VALUES, VALUES), max_size=25))
@example([(name, name, 0.5, 0.5) for name in HOSTILE])
@example([("m", f"m k={i}", value, -value) for i, value in enumerate(ODD)])
def test_labels_of_points_never_overlap(points):
    require_readable(scatter(points))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=2, max_size=20))
def test_where_there_is_room_every_point_that_none_beats_has_its_label(places):
    points = [("m", f"m k={i}", x / 50, y / 50) for i, (x, y) in enumerate(places)]
    svg = charts.scatter(points, range(len(points)), title="Costs", across="loss", upwards="risk")
    require_readable(svg)
    texts = {text for text, _ in label_boxes(svg)}
    assert len([label for _, label, *_ in points if label in texts]) >= min(len(points), 10)
