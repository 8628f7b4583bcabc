"""Who was left out: the groups that lose far more than others, with their rates."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from shoal.evaluate.left_out import FEWEST
from shoal.pages.report.layout import Section, section
from shoal.pages.report.tables import items, table

if TYPE_CHECKING:
    from shoal.evaluate.left_out import Group
    from shoal.pages.report.assessment import Assessment
    from shoal.release import Release

_MOST_LINES = 12
_MOST_GONE = 10


def left_out(release: Release, assessment: Assessment) -> Section | None:
    """Whether some people are missing from the release, or shown coarser, far more than others."""
    found = assessment.left_out
    if found is None or not found.looked_at:
        return None
    by_chance = release.is_drawn
    lost = [group for group in found.groups if group.loses_far_more]
    coarser = [group for group in found.groups if group.is_far_coarser and not group.loses_far_more]
    what = "have no record like them in the release" if by_chance else "are left out"
    sentences = [
        f"{found.share:.1%} of all records {what}."
        if found.share >= 0.0005
        else f"Fewer than one in two thousand records {what}."
        if found.share
        else "Every record has one like it in the release."
        if by_chance
        else "No record is left out."
    ]
    if lost:
        most = lost[0]
        sentences.append(
            f"It is not the same for all: of those with {most.who} it is {most.left_out:.0%}; of all others, "
            f"{most.others_left_out:.1%}."
        )
    else:
        sentences.append(f"No group of {FEWEST} records or more loses far more of its records than others do.")
    if coarser:
        most = coarser[0]
        sentences.append(
            f"Those with {most.who} are shown far coarser than others: they lost {most.coarseness:.0%} of their "
            f"detail, others {most.others_coarseness:.0%}."
        )
    pieces = [f"<p>{escape(' '.join(sentences))}</p>"]
    shown = [*lost, *coarser][:_MOST_LINES]
    if shown:
        pieces.append(_rates(shown, len(lost) + len(coarser), by_chance=by_chance))
    if found.gone:
        more = len(found.gone) - _MOST_GONE
        gone = [f"{column}: {value} ({records:,})" for column, value, records in found.gone[:_MOST_GONE]]
        pieces.append(
            "<p>Of these values no record is left at all (records in the original):</p>"
            + items([*gone, *([f"and {more:,} more values"] if more > 0 else [])])
        )
    return section(
        "Who was left out",
        "Whoever draws conclusions from the release about groups that are missing from it will be wrong. Each group of "
        f"records that have a value in common is compared with all others; values of fewer than {FEWEST} records, of "
        "which a share says little, are looked at together.",
        *pieces,
    )


def _rates(groups: list[Group], number: int, *, by_chance: bool) -> str:
    is_lost = any(group.loses_far_more for group in groups)
    is_coarser = any(group.is_far_coarser for group in groups)
    rows = [
        (
            group.column,
            group.value,
            f"{group.records:,}",
            *((f"{group.left_out:.1%}", f"{group.others_left_out:.1%}") if is_lost else ()),
            *((f"{group.coarseness:.0%}", f"{group.others_coarseness:.0%}") if is_coarser else ()),
        )
        for group in groups
    ]
    head = ["column", "value", "records"]
    head += ["no record like theirs" if by_chance else "left out", "of others"] if is_lost else []
    head += ["detail lost", "by others"] if is_coarser else []
    caption = f"The {len(groups)} groups that are hit hardest, of {number:,}." if number > len(groups) else ""
    return table(head, rows, caption)
