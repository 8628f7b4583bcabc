"""Sections of the report about the population that records stand for, and about households."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from shoal.pages.report.layout import Section, section
from shoal.pages.report.tables import folded, table

if TYPE_CHECKING:
    from shoal.pages.report.assessment import Assessment


def population(assessment: Assessment) -> Section | None:
    """How people are hidden among all people of a population, where weights or a table of it tell."""
    pieces = [*_by_table(assessment), *_by_weights(assessment)]
    if not pieces:
        return None
    return section(
        "How people are hidden in the population",
        "Someone who does not know who took part has to find a person among all people of the population that look "
        "like them.",
        *pieces,
    )


def _by_table(assessment: Assessment) -> Iterator[str]:
    """What a table of the population says, which counts everybody."""
    risk = assessment.in_population
    if risk is None or risk.after.journalist is None or risk.before.journalist is None:
        return
    fewest = [round(1 / side.journalist.highest) for side in (risk.before, risk.after) if side.journalist is not None]
    yield (
        f"<p>By the table of the population, each published {risk.after.unit.value} looks like {fewest[1]:,} people of "
        f"it or more, where in the original it is {fewest[0]:,}. Whoever tries to find all of them is right for "
        f"{risk.after.marketer:.2%}; in the original for {risk.before.marketer:.2%}.</p>"
    )
    rows = [
        ("fewest people who look like one of them (k-map)", *(f"{number:,}" for number in fewest)),
        ("highest chance to be found", f"{risk.before.journalist.highest:.3%}", f"{risk.after.journalist.highest:.3%}"),
        ("average chance to be found", f"{risk.before.journalist.average:.3%}", f"{risk.after.journalist.average:.3%}"),
    ]
    yield table(("", "original", "release"), rows, "")


def _by_weights(assessment: Assessment) -> Iterator[str]:
    """What weights say about the risk of persons, and about what the release says of the population: estimates."""
    risk = assessment.population
    if risk is None:
        return
    after, sides = risk.after, (risk.before, risk.after)
    yield (
        f"<p>By the weights, {after.persons:,} published persons stand for about {after.people:,.0f} people. Each "
        f"looks like about {after.k_map:,.0f} of them or more. Whoever tries to find all of them in the population is "
        f"right for about {after.found:,.1f} of {after.persons:,} ({after.individual.average:.2%}); in the original it "
        f"would be {risk.before.found:,.1f}. These are estimates, as good as the weights are.</p>"
    )
    rows = [
        ("people of the population they stand for", *(f"{side.people:,.0f}" for side in sides)),
        ("fewest people who look like one of them (k-map)", *(f"{side.k_map:,.1f}" for side in sides)),
        ("highest chance to be found (individual risk)", *(f"{side.individual.highest:.3%}" for side in sides)),
        ("average chance to be found", *(f"{side.individual.average:.3%}" for side in sides)),
        (
            f"persons with a chance above {after.individual.threshold:.0%}",
            *(f"{side.individual.records_at_risk:,}" for side in sides),
        ),
        ("persons found by whoever tries all", *(f"{side.found:,.2f}" for side in sides)),
        ("highest journalist's risk", *(f"{side.journalist.highest:.3%}" for side in sides)),
        ("average journalist's risk", *(f"{side.journalist.average:.3%}" for side in sides)),
        ("persons who are alone in the population", *(f"{side.uniques:,.2f}" for side in sides)),
    ]
    yield table(
        ("", "original", "release"),
        rows,
        "Individual risk: after Benedetti and Franconi 1998; journalist's risk: one in as many people as the weights "
        "of a group add up to.",
    )
    queries = assessment.weighted_queries
    if queries is not None:
        yield (
            "<p>How many people of the population are there with …? The answers of the release, its records counted "
            f"by their weights, are off by {queries.median:.1%} in the median and {queries.mean:.1%} on average.</p>"
        )
    loss, kept = assessment.weighted_loss, assessment.weighted_dependence
    if loss is not None:
        pairs = "" if kept is None else f", and pairs of columns agree by {1 - kept.mean_distance:.1%} on average"
        yield f"<p>Records counted by their weights, {loss:.1%} of all detail is lost{pairs}.</p>"
    moved = [(m.column, f"{1 - m.total_variation:.1%}") for m in assessment.weighted_marginals]
    yield folded(table(("column", "same in both"), moved, "Each column before and after, records counted by weights."))


def households(assessment: Assessment) -> Section | None:
    """How likely households are found."""
    risk = assessment.households
    if risk is None:
        return None
    rows = [
        (name, *(f"{figure:.3%}" for figure in figures))
        for name, figures in (("highest", risk.highest()), ("average", risk.average()))
    ]
    return section(
        "Households",
        escape(
            f"{len(risk.least):,} households in the original. Whoever finds one member finds all: a household is found "
            "at least as likely as the member who is easiest to find, and at most as likely as all members together."
        ),
        table(("risk of a household", "at least", "if members are independent", "at most"), rows, ""),
    )
