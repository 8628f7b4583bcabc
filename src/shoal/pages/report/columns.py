"""What each column is, and what became of it: those that are left out, too."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.hierarchies.wording import not_counted, with_coding
from shoal.data.schema import Role
from shoal.pages.report.layout import Section, section
from shoal.pages.report.tables import table

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.release import Release

_HEAD = ("column", "role", "what became of it", "values before", "after")

ROLES = {
    Role.IDENTIFIER: "names a person",
    Role.DROPPED: "not needed",
    Role.PERSON: "tells persons apart",
    Role.HOUSEHOLD: "tells households apart",
    Role.WEIGHT: "says for how many people a record stands",
    Role.QUASI_IDENTIFIER: "others may know it",
    Role.SENSITIVE: "nobody may learn it",
    Role.INSENSITIVE: "declared harmless",
    Role.PERTURBED: "others may know it",
    Role.KEYED: "names a person, published as a pseudonym",
    Role.PSEUDONYM: "links the records of a person",
}
"""What a role means, in words for whoever does not know the word for it."""


def columns(release: Release) -> Section:
    """A line for each column of the original."""
    counted = {column["name"]: column for column in release.facts.columns}
    schema = release.rows.schema
    rows = []
    for column in schema:
        if not column.role.is_published:
            rows.append((column.name, column.role.value, "left out", "", ""))
            continue
        facts = counted.get(column.name)
        if facts is None:
            rows.append((column.name, column.role.value, with_coding(column, not_counted(column)), "", ""))
        else:
            role = Role(facts["role"]) if facts["role"] == Role.PERTURBED.value else column.role
            said = with_coding(column, facts["recoding"])
            rows.append((column.name, role.value, said, facts["before"], facts["after"]))
    rows += [
        (facts["name"], Role.PSEUDONYM.value, facts["recoding"], "", "")
        for facts in release.facts.columns
        if facts["role"] == Role.PSEUDONYM.value
    ]
    left_out = sum(not column.role.is_published for column in schema)
    roles = "; ".join(f"{role.value}: {ROLES[role]}" for role in ROLES if role.value in {row[1] for row in rows})
    return section(
        "What became of each column",
        f"Of {len(schema.columns):,} columns {left_out or 'none'} {'are' if left_out > 1 else 'is'} left out. What the "
        f"roles mean: {roles}.",
        f'<div class="roles">{table(_HEAD, rows, "")}</div>',
        _absorbed(release.outcome.table),
    )


def without_value(original: EncodedTable) -> dict[str, int]:
    """How many records hold nothing in each column that a private method answers for, where any do.

    One record must not decide whether a private run is refused: a file that is read in a wrong encoding, or in which a
    quote is never closed, goes through, and only its owner can be told.
    """
    found = {
        a.name: int(original.counts.sizes[original.counts.column(a.name) == a.domain.missing].sum())
        for a in original.attributes
        if a.is_covered and a.domain.missing is not None
    }
    return {name: records for name, records in found.items() if records}


def _absorbed(original: EncodedTable) -> str:
    """What counts as missing in a private run; nothing if everything was taken as it stands."""
    found = without_value(original)
    if not found:
        return ""
    parts = ", ".join(f"{escape(name)} {records:,} ({records / original.total:.1%})" for name, records in found.items())
    damaged = 0
    if len(found) == len(original.attributes):
        nothing = [original.counts.column(a.name) == a.domain.missing for a in original.attributes]
        damaged = int(original.counts.sizes[np.logical_and.reduce(nothing)].sum())
    lines = (
        f" {damaged:,} {'record holds' if damaged == 1 else 'records hold'} nothing in any column: a line with too "
        "many or too few cells counts as such a record, and a quote that is never closed makes one of many lines."
    )
    return (
        f"<p>Records whose cell counts as missing: {parts}. It is empty, cannot be read in the declared encoding, or "
        f"holds what the declared domain does not.{lines if damaged else ''}</p>"
    )
