"""Sections of the report about the population that records stand for, and about households."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from shoal.pages.report.layout import Section, section
from shoal.pages.report.tables import folded, table

if TYPE_CHECKING:
    from shoal.pages.report.assessment import Assessment


def population(assessment: Assessment) -> Section | None:
    """What weights say about the risk of persons, and about what the release says of the population."""
    risk = assessment.population
    if risk is None:
        return None
    sides = (risk.before, risk.after)
    rows = [
        ("people of the population they stand for", *(f"{side.people:,.0f}" for side in sides)),
        ("fewest people who look like one of them (k-map)", *(f"{side.k_map:,.1f}" for side in sides)),
        ("highest individual risk", *(f"{side.individual.highest:.3%}" for side in sides)),
        ("average individual risk", *(f"{side.individual.average:.3%}" for side in sides)),
        (
            f"persons with an individual risk above {risk.after.individual.threshold:.0%}",
            *(f"{side.individual.records_at_risk:,}" for side in sides),
        ),
        ("persons found by whoever tries all", *(f"{side.found:,.2f}" for side in sides)),
        ("highest journalist's risk", *(f"{side.journalist.highest:.3%}" for side in sides)),
        ("average journalist's risk", *(f"{side.journalist.average:.3%}" for side in sides)),
        ("persons who are alone in the population", *(f"{side.uniques:,.2f}" for side in sides)),
    ]
    moved = [
        (m.column, f"{m.total_variation:.4f}", "" if m.wasserstein is None else f"{m.wasserstein:.4f}")
        for m in assessment.weighted_marginals
    ]
    queries = assessment.weighted_queries
    asked = (
        ""
        if queries is None
        else f"<p>How many people of the population are there with …? The answers of the release, its records counted "
        f"by their weights, are off by {queries.median:.1%} in the median and {queries.mean:.1%} on average.</p>"
    )
    numbers = table(
        ("column", "total variation", "Wasserstein"), moved, "Each column before and after, records counted by weights."
    )
    return section(
        "What weights say about the population",
        "Someone who does not know who took part has to find a person among all people of the population that look "
        "like them, of whom weights give an estimate. Individual risk: after Benedetti and Franconi 1998; journalist's "
        "risk: one in as many people as the weights of a class add up to.",
        table(("", "original", "release"), rows, ""),
        asked,
        folded(numbers),
    )


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
