"""The risk that is left: how many look alike, what their group gives away, who stood out to begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.unit import Unit
from shoal.pages import charts
from shoal.pages.report.bins import binned_sizes
from shoal.pages.report.layout import Section, section
from shoal.pages.report.tables import folded, table
from shoal.pages.report.words import promised_k

if TYPE_CHECKING:
    from shoal.pages.report.assessment import Assessment
    from shoal.release import Release

_PERSONS_ALIKE = (
    "Someone who knows one record of a {one} in all quasi-identifiers, and that it is in the table, is left with a "
    "group of records. Who does not know how many records each {one} has there picks the right one with a chance of "
    "one in its {many}; a {one} with several records is judged by the one that is easiest to find. Whoever knows more, "
    "and which published records belong together, may do better: <code>shoal attack</code> says how much."
)
_SEQUENCES_ALIKE = (
    "Someone who knows all records of a {one} in all quasi-identifiers, and that they are in the table, is left with a "
    "group of {many} whose pseudonyms have the same records, and picks the right one with a chance of one in their "
    "number. What such a group says about sensitive values is not counted here: pseudonyms link the values of all "
    "records of a {one}, and nothing is promised about them."
)


def class_sizes(release: Release, assessment: Assessment) -> Section | None:
    """How many records look alike, and the risk of being pointed at that follows from it."""
    risk = assessment.risk
    k = promised_k(release)
    if risk is None or k is None or release.counts_are_noisy:  # noise protects, not that records are equal
        return None
    sizes, unit = dict(release.facts.class_sizes), release.facts.unit
    together = sum(size * classes for size, classes in sizes.items())  # whoever is in two classes counts in both
    shares, points = 0.0, []
    for size in sorted(sizes):
        shares += size * sizes[size] / max(together, 1)
        points.append((float(size), shares))
    rows = [
        (
            f"smallest group{f' (promised: {k:,})' if unit is Unit.RECORD else ''}",
            *(f"{side.smallest:,}" for side in (risk.before, risk.after)),
        ),
        (f"highest risk of a {unit.value}", *(f"{side.prosecutor.highest:.2%}" for side in (risk.before, risk.after))),
        (f"average risk of a {unit.value}", *(f"{side.prosecutor.average:.2%}" for side in (risk.before, risk.after))),
        (
            f"{unit.plural} with a risk above {risk.after.prosecutor.threshold:.0%}",
            *(f"{side.prosecutor.at_risk:.2%}" for side in (risk.before, risk.after)),
        ),
        (
            "people who are alone in their group" if unit is Unit.RECORD else f"groups of one {unit.value}",
            *(f"{side.uniques:,}" for side in (risk.before, risk.after)),
        ),
        ("groups", *(f"{side.classes:,}" for side in (risk.before, risk.after))),
    ]
    if unit is not Unit.RECORD:
        rows.insert(0, (unit.plural, *(f"{side.records:,}" for side in (risk.before, risk.after))))
    binned_up = {name: float(count) for name, count in binned_sizes(sizes).items()}
    return section(
        f"How many {unit.plural} look alike",
        "Someone who knows all quasi-identifiers of a person, and that the person is in the table, is left with a "
        "group of records that look alike, and picks the right one with a chance of one in its size."
        if unit is Unit.RECORD
        else (_SEQUENCES_ALIKE if release.outcome.table.is_linked else _PERSONS_ALIKE).format(
            one=unit.value, many=unit.plural
        ),
        table(("", "original", "release"), rows, ""),
        charts.curve(
            points,
            title=f"Published {unit.plural} in groups of at most so many",
            across=f"{unit.plural} in the group",
            upwards=f"{unit.plural} in groups up to this size",
            mark=float(k) if unit is Unit.RECORD else float(min(sizes)),
        ),
        charts.columns(binned_up, title="Published groups by size", across=f"{unit.plural} in the group"),
        folded(table((f"{unit.plural} in the group", "groups"), list(binned_sizes(sizes).items()), "")),
    )


def disclosure(release: Release, assessment: Assessment) -> Section | None:
    """What classes say about sensitive columns; where their numbers carry noise, they say nothing for sure."""
    if not assessment.disclosure or release.counts_are_noisy:
        return None
    counted = assessment.disclosure[0].after.unit.plural
    rows = [
        (
            one.after.column,
            f"{one.after.baseline:.1%}",
            f"{one.before.average:.1%}",
            f"{one.after.average:.1%}",
            f"{one.after.highest:.1%}",
            f"{one.after.homogeneous:.2%}",
        )
        for one in assessment.disclosure
    ]
    picture = charts.bars(
        {one.after.column: 100 * one.after.average for one in assessment.disclosure},
        title="How often the most frequent value of a group is right, in per cent",
        top=100.0,
        digits=1,
    )
    return section(
        "What a group gives away about its members",
        "How often somebody is right who knows a person's group and guesses what is most frequent in it. Where a group "
        "has one value only, everybody in it is seen through.",
        picture,
        table(
            (
                "column",
                "without this table",
                "from the original",
                "from the release",
                "worst group",
                f"{counted} in groups of one value",
            ),
            rows,
            "",
        ),
    )


def singled_out(assessment: Assessment) -> Section | None:
    """Which combinations of columns are dangerous in the original."""
    uniques = assessment.uniques
    if uniques is None:
        return None
    if not uniques.combinations:
        note = f"No combination of at most {uniques.largest} quasi-identifiers singles anybody out in the original."
        return section("Who stands out in the original", note)
    rows = [(", ".join(one.columns), f"{one.records:,}") for one in uniques.combinations[:10]]
    weights = dict(sorted(uniques.contributions.items(), key=lambda item: -item[1])[:12])
    return section(
        "Who stands out in the original",
        f"{uniques.share:.1%} of the {uniques.unit.plural} are alone in some combination of at most {uniques.largest} "
        "quasi-identifiers. The bars tell how much each column has to do with it (SUDA scores).",
        charts.bars(weights, title="Share of each column in what singles people out", digits=2),
        folded(table(("alone in", "records"), rows, "The most dangerous combinations: fewest columns first.")),
    )
