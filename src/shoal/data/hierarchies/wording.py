"""What became of each column, in words that need no hierarchy beside them: "20-year bands", "first two digits"."""

from __future__ import annotations

import re
from typing import assert_never

import numpy as np

from shoal.arrays import Floats, Keys, Nodes, Sizes
from shoal.data.attribute import Attribute
from shoal.data.domain import Dates, Grid
from shoal.data.outcome import Outcome
from shoal.data.recoding import FullDomain
from shoal.data.schema import Column, Role
from shoal.data.shown import Distributions, Numbers, Shown, Spans, TreeNodes, ValueSets, texts
from shoal.kernels import grouping

KEPT = "published as it is"
HIDDEN = "hidden: no value is shown"
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_WORTH_SAYING = 0.005
"""A smaller share of the records is not worth a word."""
_MANY_PIECES = 4
"""Of fewer pieces of a cut, two that are alike are a chance."""
_LOOKED_AT = 40
"""Labels of a level that tell how the others are made."""
_IN_YEARS = re.compile(r"(?<![a-z])(age|years?|yob|alter|jahr|edad|âge)(?![a-z])")
_PERIODS = ((r"\d{4}-\d\d", "month"), (r"\d{4}-Q\d", "quarter"), (r"\d{4}", "year"), (r"\d{3}0s", "decade"))


def became(attribute: Attribute, outcome: Outcome) -> str:
    """What is published of a column, in a few words; of the original it says nothing."""
    shown = outcome.shown.get(attribute.name)
    if attribute.role is Role.PSEUDONYM:
        return "a number drawn at random for each person"
    if outcome.is_made_up:
        return made_up_in_words(shown)
    if shown is None:
        return "changed by chance" if attribute.role is Role.PERTURBED else KEPT
    recoding, published = outcome.recoding, outcome.published
    if attribute.role is Role.PERTURBED:
        return "published with noise added" if isinstance(shown, Numbers) else "changed by chance, record by record"
    if isinstance(recoding, FullDomain):
        return level_in_words(attribute, recoding.levels.get(attribute.name, 0))
    if recoding is not None:
        return cut_in_words(attribute, shown)
    if not _is_true(attribute, shown, outcome):
        return "a value that stands for its group, in place of its own"
    sizes = grouping.totals(published.column(attribute.name), len(shown), published.sizes)
    return _differing(attribute, shown, sizes)


def made_up_in_words(shown: object) -> str:
    """What is made up of a column, by how it is shown."""
    if isinstance(shown, TreeNodes):
        return "made up, in groups of values" if len(shown) > 1 else "hidden: no value is shown"
    return "made up, in intervals" if isinstance(shown, Spans) else "made up, in values of its domain"


def not_counted(column: Column) -> str:
    """What is published of a column that no method looks at."""
    return "pseudonyms made with a secret key" if column.role is Role.KEYED else KEPT


def with_coding(column: Column, became: str) -> str:
    """What became of a column, with what was done to its numbers before all else."""
    ends = {"nothing below": column.bottom, "nothing above": column.top, "rounded to": column.round}
    coded = ", ".join(f"{words} {number:f}" for words, number in ends.items() if number is not None)
    return became if not coded else coded if became == KEPT else f"{coded}; {became}"


def _is_true(attribute: Attribute, shown: Shown, outcome: Outcome) -> bool:
    """Whether what is shown of a record is its value, or holds it; centers of clusters need not."""
    became = outcome.published_rows()
    if became is None:
        return False
    if not isinstance(shown, TreeNodes):
        return True
    leaves = outcome.table.counts.column(attribute.name)[became[0]]
    nodes = shown.nodes[outcome.published.column(attribute.name)[became[1]]]
    first, count = attribute.hierarchy.first[nodes], attribute.hierarchy.leaf_count[nodes]
    return bool(((first <= leaves) & (leaves < first + count)).all())


def level_in_words(attribute: Attribute, level: int) -> str:
    """What full-domain generalization to a level makes of a column."""
    hierarchy = attribute.hierarchy
    nodes = hierarchy.levels[level].nodes
    if len(nodes) == hierarchy.leaves:
        return KEPT
    if len(nodes) == 1:
        return HIDDEN
    if attribute.domain.missing is not None:
        nodes = nodes[nodes != attribute.domain.missing]
    return _evenly(attribute, nodes) or _grouped(attribute, nodes)


def _evenly(attribute: Attribute, nodes: Nodes) -> str:
    """How all groups are made, if it can be said in two or three words; else nothing."""
    domain = attribute.domain
    if isinstance(domain, Grid):
        return _bands(attribute, domain, attribute.hierarchy.leaf_count[nodes])
    labels = attribute.labels(nodes[:_LOOKED_AT])
    if named := _named_bands(attribute, labels):
        return named
    if isinstance(domain, Dates):
        return next((f"by {unit}" for form, unit in _PERIODS if all(re.fullmatch(form, text) for text in labels)), "")
    return _first_characters(labels)


def _bands(attribute: Attribute, domain: Grid, widths: Keys | Nodes) -> str:
    """Bands of equal width; those at the ends may be cut off."""
    inner = widths[1:-1] if len(widths) > 2 else widths
    width = int(inner.max())
    if (inner != width).any() or widths.max() > width:
        return ""
    return _bands_of(attribute, domain.number(width * domain.step))


def _named_bands(attribute: Attribute, labels: list[str]) -> str:
    """Bands of equal width by their names, `20-39`; the last may be open, `>80`."""
    found = [re.fullmatch(r"(\d{1,9})\s*[-–]\s*(\d{1,9})", text) for text in labels]
    open_ends = sum(bool(re.fullmatch(r"([<>≤≥]=?\s*\d{1,9}|\d{1,9}\+)", text)) for text in labels)
    widths = {int(match[2]) - int(match[1]) + 1 for match in found if match}
    if len(widths) != 1 or len(labels) - open_ends != sum(match is not None for match in found):
        return ""
    return _bands_of(attribute, str(widths.pop()))


def _bands_of(attribute: Attribute, width: str) -> str:
    return f"{width}-year bands" if counts_years(attribute) else f"bands of {width}"


def counts_years(attribute: Attribute) -> bool:
    """Whether a column seems to be one of ages or years, by its name."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", attribute.name).lower()
    is_broken = isinstance(attribute.domain, Grid) and attribute.domain.decimals > 0
    return not is_broken and _IN_YEARS.search(name) is not None


def _first_characters(labels: list[str]) -> str:
    """Prefixes of codes, the rest of which is hidden by stars."""
    found = [re.fullmatch(r"([^*]+)(\*+)", text) for text in labels]
    kept = {len(match[1]) for match in found if match}
    if not all(found) or len(kept) != 1:
        return ""
    number, are_digits = kept.pop(), all(match[1].isdigit() for match in found if match)
    return _first(number, "digit" if are_digits else "character")


def _first(number: int, what: str) -> str:
    if number == 1:
        return f"first {what}"
    return f"first {NUMBER_WORDS[number] if number < len(NUMBER_WORDS) else number} {what}s"


def _grouped(attribute: Attribute, nodes: Nodes) -> str:
    leaves = attribute.hierarchy.leaves - (attribute.domain.missing is not None)
    coarse = nodes[attribute.hierarchy.leaf_count[nodes] > 1]
    examples = ", ".join(attribute.labels(coarse[:2]))
    return f"{leaves:,} values put together in {len(nodes):,} groups, such as {examples}"


def cut_in_words(attribute: Attribute, shown: Shown) -> str:
    """A domain that is cut into pieces, each a group or a range."""
    if len(shown) == attribute.hierarchy.leaves:
        return KEPT
    if len(shown) == 1:
        return HIDDEN
    missing = attribute.domain.missing
    if isinstance(shown, TreeNodes):
        nodes = shown.nodes[shown.nodes != missing] if missing is not None else shown.nodes
        level = attribute.hierarchy.level_of[nodes]
        return ((level == level[0]).all() and _evenly(attribute, nodes)) or _grouped(attribute, nodes)
    assert isinstance(shown, Spans)
    present = shown.first != (-1 if missing is None else missing)
    first, last = shown.first[present], shown.last[present]
    if len(first) == 1:
        return HIDDEN
    domain, even = attribute.domain, ""
    if isinstance(domain, Grid) and len(first) >= _MANY_PIECES:
        even = _bands(attribute, domain, last - first + 1)
    examples = ", ".join(texts(attribute, Spans(first[:2], last[:2])))
    return even or f"cut into {len(first):,} ranges, such as {examples}"


def _differing(attribute: Attribute, shown: Shown, records: Sizes) -> str:
    """What differs from record to record; `records` show each entry."""
    match shown:
        case TreeNodes():
            return _detail(attribute, attribute.hierarchy.leaf_count[shown.nodes], records, "groups")
        case Spans():
            return _detail(attribute, shown.last - shown.first + 1, records, "ranges")
        case ValueSets():
            return _detail(attribute, np.diff(shown.starts), records, "sets")
        case Numbers():
            return "new numbers in place of the values"
        case Distributions():
            return "how often each value occurs in a group, in place of the value"
        case _:
            assert_never(shown)


def _detail(attribute: Attribute, widths: Keys | Nodes, records: Sizes, what: str) -> str:
    """How fine values are that are as fine as their group allows."""
    leaves, total = attribute.hierarchy.leaves, max(int(records.sum()), 1)
    kept = int(records[widths == 1].sum()) / total
    hidden = int(records[widths == leaves].sum()) / total
    if kept == 1:
        return KEPT
    if hidden == 1:
        return HIDDEN
    between = (widths > 1) & (widths < leaves)
    parts = [f"{_share(kept)} as they were"] if kept >= _WORTH_SAYING else []
    if int(records[between].sum()) >= _WORTH_SAYING * total:
        half = middle(widths[between].astype(float), records[between])
        parts.append(f"{'others in ' if parts else ''}{what} of typically {_extent(attribute, half)}")
    parts += [f"{_share(hidden)} hidden"] if hidden >= _WORTH_SAYING else []
    return ", ".join(parts)


def _share(value: float) -> str:
    return "nearly all" if value >= 1 - _WORTH_SAYING else f"{value:.0%}"


def _extent(attribute: Attribute, width: float) -> str:
    """So many neighboring values, in words."""
    domain, whole = attribute.domain, int(width)
    if isinstance(domain, Grid):
        number = domain.number(whole * domain.step)
        return f"{number} years" if counts_years(attribute) else number
    return f"{whole:,} {'days' if isinstance(domain, Dates) else 'values'}"


def middle(values: Floats, weights: Sizes) -> float:
    """The smallest value that at least half of the weights are at or below; NaN if there are none."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    if not len(reached) or not reached[-1]:
        return float("nan")
    return float(values[order[np.searchsorted(reached, reached[-1] / 2)]])
