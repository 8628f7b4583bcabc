"""Ten records before and after: of the original, so they are nowhere but in the owner's report."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Codes, Keys
from shoal.data.people.pseudonyms import unlinked
from shoal.data.shown import Distributions, Numbers, Shown, Spans, TreeNodes, ValueSets, texts
from shoal.pages.report.layout import Section, section
from shoal.pages.report.tables import cells

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.counts import Counts
    from shoal.data.outcome import Outcome
    from shoal.release import Release

HOW_MANY = 10
_MOST_COLUMNS = 8
"""More do not fit beside each other on a page."""
_LONGEST = 60
_COMMONEST = 3


def examples(release: Release) -> Section | None:
    """Ten records of the original, each above what became of it; or ten of each where nothing says which is which."""
    outcome = unlinked(release.outcome)
    if not outcome.table.total:
        return None
    chosen = _attributes(outcome)
    head = cells("th", ["", *(attribute.name for attribute in chosen)])
    became = None if release.is_drawn else outcome.published_rows()
    original = spread_out(outcome.table.counts, HOW_MANY)
    if became is None:
        published = spread_out(outcome.published, HOW_MANY)
        bodies = [
            _body(
                [_line("before", "original", _originals(chosen, outcome, original, i)) for i in range(len(original))]
            ),
            _body(
                [_line("after", "published", _published(chosen, outcome, published, i)) for i in range(len(published))]
            ),
        ]
        note = (
            "Ten records of the original, and below them ten of the release. They do not belong together: nothing says "
            "which published record is whose."
        )
    else:
        original = _with_one_left_out(original, became[0], len(outcome.table.counts))
        first = _first_parts(original, *became)
        bodies = [
            _body(
                [
                    _line("before", "original", _originals(chosen, outcome, original, i)),
                    _line("after", "published", _published(chosen, outcome, first, i))
                    if first[i] >= 0
                    else f'<tr class="after"><th scope="row">left out</th><td colspan="{len(chosen)}"></td></tr>',
                ]
            )
            for i in range(len(original))
        ]
        note = "Ten records of the original, each above what became of it in the release."
    marked = (
        "<p><strong>The lines marked original are records of real people.</strong> They stand in this report and "
        f"nowhere else; <code>examples = false</code> in [output] leaves them out.{_not_shown(release, chosen)}</p>"
    )
    rows = f'<table class="examples"><thead><tr>{head}</tr></thead>{"".join(bodies)}</table>'
    return section("Ten records before and after", note, marked, f'<div class="scroll" tabindex="0">{rows}</div>')


def spread_out(counts: Counts, number: int) -> Keys:
    """Some distinct records, spread evenly over all records in their order; equal ones count as often as they occur."""
    reached = np.cumsum(counts.sizes)
    if not len(reached):
        return np.zeros(0, dtype=np.int64)
    places = (np.arange(number) + 0.5) * (float(reached[-1]) / number)
    return np.unique(np.minimum(np.searchsorted(reached, places, side="right"), len(reached) - 1))


def _attributes(outcome: Outcome) -> list[Attribute]:
    """The columns that are shown: those that were recoded first, in the order of the table."""
    everywhere = [a for a in outcome.table.attributes if a.name in outcome.published.names]
    first = sorted(everywhere, key=lambda attribute: attribute.name not in outcome.shown)[:_MOST_COLUMNS]
    return [attribute for attribute in everywhere if attribute in first]


def _with_one_left_out(chosen: Keys, source: Keys, records: int) -> Keys:
    """The same records; if all of them are published and others are not, the last is replaced by one of these."""
    is_there = np.zeros(records, dtype=np.bool_)
    is_there[source] = True
    missing = np.flatnonzero(~is_there)
    if not len(missing) or not is_there[chosen].all():
        return chosen
    return np.append(chosen[:-1], missing[len(missing) // 2])


def _first_parts(chosen: Keys, source: Keys, label: Keys) -> Keys:
    """The published record that each became, the first one if it was divided; -1 if none."""
    order = np.argsort(source, kind="stable") if np.any(np.diff(source) < 0) else np.arange(len(source))
    at = np.searchsorted(source[order], chosen)
    found = (at < len(source)) & (source[order[np.minimum(at, len(source) - 1)]] == chosen) if len(source) else at < 0
    places = order[np.minimum(at, max(len(source) - 1, 0))] if len(source) else at
    return np.where(found, label[places] if len(source) else -1, -1)


def _originals(chosen: Sequence[Attribute], outcome: Outcome, records: Keys, i: int) -> list[str]:
    counts = outcome.table.counts
    return [attribute.domain.labels([int(counts.column(attribute.name)[records[i]])])[0] for attribute in chosen]


def _published(chosen: Sequence[Attribute], outcome: Outcome, records: Keys, i: int) -> list[str]:
    published = outcome.published
    return [
        written(attribute, outcome.shown.get(attribute.name), published.column(attribute.name)[records[i]])
        for attribute in chosen
    ]


def written(attribute: Attribute, shown: Shown | None, code: Codes) -> str:
    """What is published for one code of a column."""
    entry = int(code)
    match shown:
        case None:
            return attribute.domain.labels([entry])[0]
        case TreeNodes():
            return texts(attribute, TreeNodes(shown.nodes[entry : entry + 1]))[0]
        case Spans():
            return texts(attribute, Spans(shown.first[entry : entry + 1], shown.last[entry : entry + 1]))[0]
        case ValueSets():
            members = shown.of(entry)
            return texts(attribute, ValueSets(np.array([0, len(members)]), members))[0]
        case Numbers():
            value = float(shown.values[entry])
            return "" if np.isnan(value) else f"{value:,.{4 if shown.decimals is None else shown.decimals}f}"
        case Distributions():
            shares = shown.shares[entry] / max(int(shown.whole[entry]), 1)
            commonest = np.argsort(-shares, kind="stable")[:_COMMONEST]
            labels = attribute.domain.labels(commonest.tolist())
            told = [f"{label} {share:.0%}" for label, share in zip(labels, shares[commonest], strict=True) if share > 0]
            return ", ".join(told) + (", …" if np.count_nonzero(shares) > _COMMONEST else "")


def _line(kind: str, marked: str, values: Sequence[str]) -> str:
    short = [value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…" for value in values]
    return f'<tr class="{kind}"><th scope="row">{marked}</th>{cells("td", short)}</tr>'


def _body(lines: Sequence[str]) -> str:
    return f"<tbody>{''.join(lines)}</tbody>"


def _not_shown(release: Release, chosen: Sequence[Attribute]) -> str:
    """Which columns are not among those shown."""
    there = {attribute.name for attribute in chosen}
    coded = any(column.is_coded for column in release.rows.schema)
    before = " What was cut off at the ends or rounded is shown so in both." if coded else ""
    hidden = [column.name for column in release.rows.schema if column.name not in there]
    if not hidden:
        return before
    more = f" and {len(hidden) - _MOST_COLUMNS} more" if len(hidden) > _MOST_COLUMNS else ""
    return f" Not shown here: {escape(', '.join(hidden[:_MOST_COLUMNS]))}{more}.{before}"
