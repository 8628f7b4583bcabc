"""What the release is still good for: columns, counts, what goes together, what can be predicted."""

from __future__ import annotations

from html import escape
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.domain import Dates, Grid
from shoal.data.hierarchies.wording import HIDDEN
from shoal.data.schema import Role
from shoal.pages import charts
from shoal.pages.report.bins import binned, places
from shoal.pages.report.layout import Section, section
from shoal.pages.report.tables import folded, table

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.outcome import Outcome
    from shoal.data.recoding import Lookup
    from shoal.evaluate.marginals import Marginal
    from shoal.pages.report.assessment import Assessment
    from shoal.release import Release

_WEAK, _CLEAR, _STRONG = 0.1, 0.3, 0.5
"""What is called small, medium and large in Cohen 1988."""
_MOST_PAIRS = 8
_MOST_ROWS = 40
_MOST_PIECES = 60
"""Of more pieces a line shows nothing."""


def recoding(release: Release) -> Section | None:
    """How far each column was generalized, as a picture where that is the same for all records."""
    ladders = [
        (c["name"], c["level"], c["levels"]) for c in release.certificate.columns if "level" in c and "levels" in c
    ]
    title = "How much detail each column keeps"
    if ladders:
        note = "On the steps of its hierarchy, from every value kept to all hidden."
        return section(title, note, charts.ladder(ladders, title="Level of each column"))
    if cuts := _cuts(release.outcome):
        note = "The values of each column in their order, cut into the pieces that are published."
        return section(title, note, charts.segments(cuts, title="Pieces of each column"))
    return None


def _cuts(outcome: Outcome) -> list[tuple[str, list[float]]]:
    """Where the domain of each column is cut, as shares of it, if values are recoded one by one."""
    if outcome.recoding is None:
        return []
    cuts = []
    for attribute in outcome.table.quasi_identifiers:
        codes = outcome.recoding.lookup(attribute).codes
        places = (np.flatnonzero(np.diff(codes.astype(np.int64))) + 1) / len(codes)
        if len(places) <= _MOST_PIECES:
            cuts.append((attribute.name, places.tolist()))
    return cuts


def distributions(release: Release, assessment: Assessment) -> Section:
    """Every column before and after, one small picture each; columns that show nothing are named."""
    outcome, words = release.outcome, {column["name"]: column["recoding"] for column in release.facts.columns}
    pictures, rows = [], []
    for marginal in assessment.marginals:
        attribute = outcome.table[marginal.column]
        if words.get(attribute.name) == HIDDEN:
            continue
        found = places(attribute, marginal.before, marginal.after, _lookup(outcome, attribute))
        names, before, after, upright = binned(attribute, found)
        picture = charts.before_and_after(names, before, after, title=marginal.column, upright=upright)
        pictures.append(f"<figure><figcaption><strong>{escape(attribute.name)}</strong></figcaption>{picture}</figure>")
        rows.append(
            (attribute.name, words.get(attribute.name, ""), f"{found.overlap:.1%}", _shift(marginal, attribute))
        )
    numbers = table(
        ("column", "what became of it", "same in both", "typical shift"),
        rows,
        "Same in both: the share of the two distributions that agrees; 100% are equal ones. Typical shift: by how much "
        "values would have to be moved, on average, to make the distributions equal.",
    )
    hidden = [marginal.column for marginal in assessment.marginals if words.get(marginal.column) == HIDDEN]
    nothing = f"<p>Hidden altogether: {escape(', '.join(hidden))}.</p>" if hidden else ""
    return section(
        "Each column before and after",
        "Outlined: the original. Filled: the release. Both are counted by what is published, groups where values were "
        "put together; where these differ from record to record, they are spread evenly over what they may have been.",
        f'<div class="multiples">{"".join(pictures)}</div>' if pictures else "",
        nothing,
        folded(numbers) if rows else "",
    )


def _lookup(outcome: Outcome, attribute: Attribute) -> Lookup | None:
    """What became of single values, if one value alone decides it."""
    is_recoded = outcome.recoding is not None and attribute.role is Role.QUASI_IDENTIFIER
    return outcome.recoding.lookup(attribute) if is_recoded and outcome.recoding is not None else None


def _shift(marginal: Marginal, attribute: Attribute) -> str:
    """By how much values moved on average, in the numbers or days of the column."""
    domain = attribute.domain
    if marginal.wasserstein is None or not isinstance(domain, Grid | Dates):
        return ""
    steps = marginal.wasserstein * (domain.size - (domain.missing is not None) - 1)
    if isinstance(domain, Dates):
        return f"{steps:,.1f} days"
    return f"{steps * domain.step / 10**domain.decimals:,.3g}"


def queries(assessment: Assessment) -> Section | None:
    """What count queries answer."""
    errors = assessment.queries
    if errors is None:
        return None
    rows = []
    for number in sorted({len(query.ranges) for query in errors.queries}):
        of = errors.of_columns(number)
        rows.append((number, len(of), f"{np.median(of):.1%}", f"{of.mean():.1%}", f"{np.quantile(of, 0.9):.1%}"))
    picture = charts.bars(
        {f"{n} column{'s' if n > 1 else ''}": float(np.median(errors.of_columns(n))) * 100 for n, *_ in rows},
        title="Median relative error of count queries in per cent",
        digits=1,
    )
    numbers = table(
        ("columns asked about", "queries", "median error", "mean error", "nine in ten below"),
        rows,
        f"|answer − truth| / max(truth, {errors.sanity:,.0f} records)",
    )
    return section(
        "How many records are there with …?",
        "Random questions about one to three columns, asked of the original and of the release: by how many per cent "
        "the release is off in the median.",
        picture,
        folded(numbers),
    )


def dependence(assessment: Assessment) -> Section | None:
    """Which columns go together, and whether they still do."""
    kept = assessment.dependence
    if kept is None:
        return None
    names, before, after = kept.before.columns, kept.before.association, kept.after.association
    pairs = [(names[i], names[j], before[i, j], after[i, j]) for i in range(len(names)) for j in range(i)]
    pairs = sorted((pair for pair in pairs if not isnan(pair[2])), key=lambda pair: -pair[2])
    shown = [pair for pair in pairs if pair[2] >= _WEAK][:_MOST_PAIRS]
    clear = [pair for pair in pairs if pair[2] >= _CLEAR]
    still = sum(pair[3] >= _CLEAR for pair in clear)
    sentence = (
        f"Of {len(clear):,} pairs of columns that clearly go together in the original, {still:,} still do in the "
        "release."
        if clear
        else "No two columns clearly go together in the original."
    )
    picture = charts.bars(
        {f"{one} and {other}": float(np.nan_to_num(now)) for one, other, _, now in shown},
        title="The pairs of columns that go together most in the original",
        top=1.0,
        digits=2,
        outlined=[float(was) for _, _, was, _ in shown],
    )
    rows = [(one, other, _strength(was), _strength(now)) for one, other, was, now in pairs[:_MOST_ROWS]]
    maps = "".join(
        charts.heat(names, values, title=f"How closely columns go together in the {where}")
        for values, where in ((before, "original"), (after, "release"))
    )
    return section(
        "Which columns go together",
        "How well one column of a record can be told from another: 0 is not at all, 1 is for sure (Cramér's V). From "
        "0.3 on it is called clear, from 0.5 on strong (Cohen 1988). Outlined: the original. Filled: the release.",
        f"<p>{sentence}</p>",
        picture if shown else "",
        folded(
            table(("column", "and", "in the original", "in the release"), rows, "")
            + f"<p>All pairs, left the original, right the release. A name ends its row and tops its column.</p>"
            f'<div class="pair">{maps}</div>'
        ),
    )


def _strength(value: float) -> str:
    """How closely two columns go together, in a word and a number."""
    if isnan(value):
        return "nothing to tell"
    word = "strong" if value >= _STRONG else "clear" if value >= _CLEAR else "weak" if value >= _WEAK else "hardly"
    return f"{word} ({value:.2f})"


def accuracy(assessment: Assessment) -> Section | None:
    """What learners reach."""
    if not assessment.accuracies:
        return None
    rows = {name: (a.trivial, a.release, a.original) for name, a in assessment.accuracies.items()}
    numbers = table(
        ("learner", "most frequent value", "release", "original", "relative"),
        [
            (name, f"{a.trivial:.1%}", f"{a.release:.1%}", f"{a.original:.1%}", f"{a.relative:.1%}")
            for name, a in assessment.accuracies.items()
        ],
        "Relative: 0% is always the most frequent value, 100% is what the original teaches.",
    )
    return section(
        f"Predicting {assessment.target}",
        "Filled: trained on the release. Circle: trained on the original. Line: always the most frequent value. Tested "
        "on originals of folds that did not teach."
        + (" Tested records count by their weights." if assessment.population is not None else ""),
        charts.accuracies(rows, title=f"Accuracy of predicting {assessment.target}"),
        folded(numbers),
    )


def losses(release: Release) -> Section | None:
    """What quality models say."""
    facts = release.facts
    if not facts.losses:
        return None
    worked = "" if facts.optimized is None else f" The method worked for <strong>{escape(facts.optimized)}</strong>."
    within = {name: value for name, value in facts.losses.items() if 0 <= value <= 1 and "risk" not in name}
    picture = charts.bars(within, title="Loss by quality model", top=1.0) if within else ""
    numbers = table(("measure", "value"), [(n, f"{v:.4g}") for n, v in facts.losses.items()], "")
    return section("What was lost", f"0 is the original, 1 is nothing left.{worked}", picture, folded(numbers))
