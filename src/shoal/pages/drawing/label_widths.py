"""How much room words take, without asking a font.

A page is shown in whatever sans serif its reader has. The table holds, for each character, the wider of DejaVu Sans and
Arial: wider than what other systems use, so that labels which do not overlap by the table do not overlap on the page.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

_WIDTHS = {
    0.28: "'ijl",
    0.3: "I",
    0.32: " ,.’‘",
    0.34: "/:;\\|",
    0.35: "f",
    0.36: "-",
    0.39: "()[]t",
    0.4: "!",
    0.41: "r",
    0.46: '"',
    0.5: "*J`°",
    0.52: "s“”",
    0.53: "z",
    0.56: "?L_c–",
    0.58: "k",
    0.59: "vxy",
    0.61: "FTao",
    0.62: "e",
    0.63: "hnu",
    0.64: "$0123456789bdgpq{}€ß",
    0.67: "EKPSY",
    0.68: "AV",
    0.69: "BXZ",
    0.72: "CR",
    0.73: "U",
    0.75: "HN",
    0.77: "D",
    0.78: "&G",
    0.79: "OQ",
    0.82: "w",
    0.84: "#+<=>^~−×≤≥",
    0.86: "M",
    0.95: "%",
    0.97: "m",
    0.99: "W",
    1.02: "@",
}
_OF_CHARACTER = {character: width for width, characters in _WIDTHS.items() for character in characters}
_CUT = "…"


def label_width(label: str, size: float) -> float:
    """The width of a label in pixels, rather too large than too small.

    >>> label_width("age", 10)
    18.7
    """
    return round(sum(map(_width, label)) * size, 4)


def shortened(label: str, room: float, size: float) -> str:
    """As much of a label as fits; what is left out is an ellipsis.

    >>> shortened("marital-status", 60, 12)
    'marital…'
    """
    label = " ".join(label.split())
    if label_width(label, size) <= room:
        return label
    return _head(label, room - label_width(_CUT, size), size).rstrip() + _CUT


def shortened_apart(labels: Sequence[str], room: float, size: float) -> list[str]:
    """Labels that fit; those that would look alike keep their ends as well.

    >>> shortened_apart(["ward of the north", "ward of the south"], 60, 10)
    ['ward…orth', 'ward…outh']
    """
    cut = [shortened(label, room, size) for label in labels]
    return [
        short if cut.count(short) == 1 or short == label else _middle_cut(label, room, size)
        for label, short in zip(labels, cut, strict=True)
    ]


def _middle_cut(label: str, room: float, size: float) -> str:
    label = " ".join(label.split())
    if label_width(label, size) <= room:
        return label
    left = room - label_width(_CUT, size)
    tail = _head(label[::-1], left / 2, size)[::-1]
    return _head(label, left - label_width(tail, size), size).rstrip() + _CUT + tail


def _head(label: str, room: float, size: float) -> str:
    """The longest beginning that fits, which does not part a letter from its accents."""
    used, end = 0.0, 0
    for character in label:
        used += _width(character) * size
        if used > room + 1e-9:
            break
        end += 1
    return label[:end]


@cache
def _width(character: str) -> float:
    known = _OF_CHARACTER.get(character)
    if known is not None:
        return known
    kind = unicodedata.category(character)
    if kind in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.3 if kind == "So" else 1.0  # signs like emoji are wider than ideographs
    base = unicodedata.normalize("NFD", character)[0]
    if base != character and base in _OF_CHARACTER:
        return _OF_CHARACTER[base]
    return 1.1
