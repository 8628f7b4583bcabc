"""Pictures are SVG that stands by itself: named, in the colors of the page, with its text as text."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from shoal.pages.report import charts

PICTURES = {
    "bars": lambda n: charts.bars({f"model $ {i} & <b>": i / 10 for i in range(n)}, title="Loss", top=1.0),
    "columns": lambda n: charts.columns({f"{i}-{i + 1}": float(i) for i in range(n)}, title="Sizes", across="size"),
    "upright": lambda n: charts.before_and_after(
        [f"2024-01-{i:02}" for i in range(n)], np.ones(n) / n, np.ones(n) / n, title="day", upright=True
    ),
    "lying": lambda n: charts.before_and_after(
        [f"a rather long name of number {i}" for i in range(n)], np.ones(n) / n, np.zeros(n), title="x", upright=False
    ),
    "ladder": lambda n: charts.ladder([(f"column {i}", i % 3, 3) for i in range(n)], title="Levels"),
    "segments": lambda n: charts.segments([(f"column {i}", [0.2, 0.5][: i % 3]) for i in range(n)], title="Pieces"),
    "heat": lambda n: charts.heat([f"column {i}" for i in range(n)], np.eye(n) * np.nan + 0.5, title="Association"),
    "curve": lambda n: charts.curve(
        [(2.0**i, (i + 1) / n) for i in range(n)], title="Risk", across="size", upwards="share", mark=2
    ),
    "accuracies": lambda n: charts.accuracies({f"tree {i}": (0.5, 0.7, 0.8) for i in range(n)}, title="Accuracy"),
}


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("count", [1, 2, 12])
def test_a_picture_is_one_named_element_without_a_color_of_its_own(kind, count):
    svg = PICTURES[kind](count)
    root = ET.fromstring(svg)
    assert root.tag.endswith("svg")
    assert root.get("role") == "img"
    assert len(root.get("aria-label")) > 5
    assert re.findall(r"#[0-9a-fA-F]{6}\b", svg) == []
    assert "font-family" not in svg
    assert "<style" not in svg
    widths = [float(n) for n in root.get("viewBox").split()]
    assert widths[2] <= 500


def test_pictures_that_say_different_things_share_no_identifiers():
    first, second = (set(re.findall(r'id="([^"]+)"', PICTURES["curve"](n))) for n in (5, 6))
    assert first
    assert not first & second


def test_the_same_facts_give_the_same_picture():
    assert PICTURES["heat"](4) == PICTURES["heat"](4)


def test_sizes_on_a_logarithmic_scale_are_written_as_plain_numbers():
    points = [(float(size), size / 84) for size in (5, 9, 20, 45, 84)]
    svg = charts.curve(points, title="Risk", across="size", upwards="share", mark=None)
    words = set(re.findall(r">([\d,.]+)</text>", svg))
    assert {"5", "10", "20", "50"} <= words
    assert "\N{MULTIPLICATION SIGN}" not in svg


def test_a_dollar_sign_is_a_dollar_sign():
    assert ">50K$ to $100K<" in charts.bars({">50K$ to $100K": 1.0}, title="x").replace("&gt;", ">").replace(
        "&lt;", "<"
    )
