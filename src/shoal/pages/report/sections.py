"""The sections of the report: each turns facts into a piece of the page, or into nothing where there are none."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.unit import Unit
from shoal.pages import charts
from shoal.pages.report.bins import binned, binned_sizes
from shoal.pages.report.tables import folded, formatted, items, table

if TYPE_CHECKING:
    from shoal.data.outcome import Outcome
    from shoal.pages.report.assessment import Assessment
    from shoal.release import Release


_PERSONS_ALIKE = (
    "Someone who knows one record of a {one} in all quasi-identifiers, and that it is in the table, is left with a "
    "class of records. Who does not know how many records each {one} has there picks the right one with a chance of "
    "one in its {many}; a {one} with several records is judged by the one that is easiest to find. Whoever knows more, "
    "and which published records belong together, may do better: <code>shoal attack</code> says how much."
)
_SEQUENCES_ALIKE = (
    "Someone who knows all records of a {one} in all quasi-identifiers, and that they are in the table, is left with a "
    "class of {many} whose pseudonyms have the same records, and picks the right one with a chance of one in their "
    "number. What such a class says about sensitive values is not counted here: pseudonyms link the values of all "
    "records of a {one}, and nothing is promised about them."
)
_MOST_PIECES = 60
"""Of more pieces a line shows nothing."""


def section(title: str, note: str, *pieces: str) -> str:
    """A heading, one soft sentence, and what follows."""
    soft = f'<p class="soft">{note}</p>' if note else ""
    return f"<section><h2>{escape(title)}</h2>{soft}{''.join(pieces)}</section>"


def promises(release: Release) -> str:
    """What is promised, on what basis, and what that takes for granted."""
    certificate = release.certificate
    rows = f"<li>{escape(certificate.promised[0])}</li>" if certificate.seeded else ""
    rows += "".join(
        f'<li><span class="basis {escape(g.basis.value)}">{escape(g.basis.value)}</span> {escape(g.statement)}</li>'
        for g in certificate.guarantees
    )
    assumptions = dict.fromkeys(text for guarantee in certificate.guarantees for text in guarantee.assumptions)
    granted = f"<p>This takes for granted:</p>{items(assumptions)}" if assumptions else ""
    found = (
        f"<p><strong>What was found out about it:</strong></p>{items(findings)}"
        if (findings := certificate.findings)
        else ""
    )
    meaning = (
        "<em>Proved</em> follows from the budget that was charged and a proof; <em>verified</em> was checked on the "
        "published table, and anyone can check it again; <em>claimed</em> is said by a paper or by the "
        "publisher; it is not proved, and the published table alone does not tell."
    )
    return section("What is promised", meaning, f"<ul class=promises>{rows}</ul>", found, granted)


def distributions(outcome: Outcome, assessment: Assessment) -> str:
    """Every column before and after, one small picture each."""
    pictures = []
    for marginal in assessment.marginals:
        names, before, after, upright = binned(outcome.table[marginal.column], marginal.before, marginal.after)
        picture = charts.before_and_after(names, before, after, title=marginal.column, upright=upright)
        moved = f"{marginal.total_variation:.1%} moved"
        pictures.append(
            f"<figure><figcaption><strong>{escape(marginal.column)}</strong> {moved}</figcaption>{picture}</figure>"
        )
    rows = [
        (m.column, f"{m.total_variation:.4f}", "" if m.wasserstein is None else f"{m.wasserstein:.4f}")
        for m in assessment.marginals
    ]
    numbers = table(
        ("column", "total variation", "Wasserstein"),
        rows,
        "Total variation: the share of records that would have to change. Wasserstein: how far values moved, as a "
        "share of the width of the domain.",
    )
    return section(
        "Each column before and after",
        "Outlined: the original. Filled: what a reader of the release would expect, coarse values being spread evenly "
        "over what they may have been.",
        f'<div class="multiples">{"".join(pictures)}</div>',
        folded(numbers),
    )


def recoding(release: Release) -> str:
    """How each column was recoded, as a picture where it has levels."""
    facts = release.facts
    ladders = [
        (c["name"], c["level"], c["levels"]) for c in release.certificate.columns if "level" in c and "levels" in c
    ]
    picture, note = "", ""
    if ladders:
        picture, note = charts.ladder(ladders, title="Level of each column"), "From every value kept to all hidden."
    elif cuts := _cuts(release.outcome):
        picture = charts.segments(cuts, title="Pieces of each column")
        note = "The values of each column in their order, cut into the pieces that are published."
    rows = [(c["name"], c["role"], c["recoding"], c["before"], c["after"]) for c in facts.columns]
    numbers = table(("column", "role", "recoding", "values before", "values after"), rows, "")
    return section("How each column was recoded", note, picture, folded(numbers) if picture else numbers)


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


def budget(release: Release) -> str:
    """What was spent, and what holds at a larger ε."""
    spent = [guarantee for guarantee in release.certificate.guarantees if guarantee.cost is not None]
    if not spent:
        return ""
    rows = [
        (guarantee.basis.value, f"{float(guarantee.cost.epsilon):g}", f"{float(guarantee.cost.delta):.3g}")
        for guarantee in spent
        if guarantee.cost is not None
    ]
    also = next((v for k, v in release.certificate.parameters.items() if k.startswith("also holds")), None)
    smooth = ""
    if isinstance(also, list):
        pairs = [(f"{point['epsilon']:.3g}", f"{point['delta']:.3g}") for point in also]
        smooth = f"<p>It also holds:</p>{table(('epsilon', 'delta'), pairs, '')}"
    return section(
        "What was spent",
        "From the budget of the dataset; <code>shoal ledger</code> tells what is left over all its releases.",
        table(("basis", "epsilon", "delta"), rows, ""),
        smooth,
    )


def losses(release: Release) -> str:
    """What quality models say."""
    facts = release.facts
    if not facts.losses:
        return ""
    worked = "" if facts.optimized is None else f" The method worked for <strong>{escape(facts.optimized)}</strong>."
    within = {name: value for name, value in facts.losses.items() if 0 <= value <= 1 and "risk" not in name}
    picture = charts.bars(within, title="Loss by quality model", top=1.0) if within else ""
    numbers = table(("measure", "value"), [(n, f"{v:.4g}") for n, v in facts.losses.items()], "")
    return section("What was lost", f"0 is the original, 1 is nothing left.{worked}", picture, folded(numbers))


def queries(assessment: Assessment) -> str:
    """What count queries answer."""
    errors = assessment.queries
    if errors is None:
        return ""
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


def dependence(assessment: Assessment) -> str:
    """How columns depend on each other."""
    kept = assessment.dependence
    if kept is None:
        return ""
    names = kept.before.columns
    before = charts.heat(names, kept.before.association, title="Association in the original")
    after = charts.heat(names, kept.after.association, title="Association in the release")
    pairs = [
        (names[i], names[j], f"{kept.before.association[i, j]:.3f}", f"{kept.after.association[i, j]:.3f}")
        for i in range(len(names))
        for j in range(i)
    ]
    pairs.sort(key=lambda pair: pair[2], reverse=True)
    return section(
        "What columns tell about each other",
        "Cramér's V of each pair: 0 is independent, 1 is determined. A name ends its row and tops its column. Left the "
        "original, right the release; "
        f"{kept.information_kept:.0%} of the mutual information of all pairs is left.",
        f'<div class="pair">{before}{after}</div>',
        folded(table(("column", "and", "before", "after"), pairs, "")),
    )


def accuracy(assessment: Assessment) -> str:
    """What learners reach."""
    if not assessment.accuracies:
        return ""
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
        "on originals of folds that did not teach.",
        charts.accuracies(rows, title=f"Accuracy of predicting {assessment.target}"),
        folded(numbers),
    )


def class_sizes(release: Release, assessment: Assessment) -> str:
    """How many records look alike, and the risk of being pointed at that follows from it."""
    risk = assessment.risk
    if risk is None or not _hides_in_classes(release):
        return ""
    sizes, unit = dict(release.facts.class_sizes), release.facts.unit
    together = sum(size * classes for size, classes in sizes.items())  # whoever is in two classes counts in both
    shares, points = 0.0, []
    for size in sorted(sizes):
        shares += size * sizes[size] / max(together, 1)
        points.append((float(size), shares))
    rows = [
        ("smallest class", *(f"{side.smallest:,}" for side in (risk.before, risk.after))),
        (f"highest risk of a {unit.value}", *(f"{side.prosecutor.highest:.2%}" for side in (risk.before, risk.after))),
        (f"average risk of a {unit.value}", *(f"{side.prosecutor.average:.2%}" for side in (risk.before, risk.after))),
        (
            f"{unit.plural} with a risk above {risk.after.prosecutor.threshold:.0%}",
            *(f"{side.prosecutor.at_risk:.2%}" for side in (risk.before, risk.after)),
        ),
        (
            "people who are alone in their class" if unit is Unit.RECORD else f"classes of one {unit.value}",
            *(f"{side.uniques:,}" for side in (risk.before, risk.after)),
        ),
        ("classes", *(f"{side.classes:,}" for side in (risk.before, risk.after))),
    ]
    if unit is not Unit.RECORD:
        rows.insert(0, (unit.plural, *(f"{side.records:,}" for side in (risk.before, risk.after))))
    binned_up = {name: float(count) for name, count in binned_sizes(sizes).items()}
    return section(
        f"How many {unit.plural} look alike",
        "Someone who knows all quasi-identifiers of a person, and that the person is in the table, is left with a "
        "class. The chance to pick the right record of it is one in its size: the prosecutor's risk; its average is "
        "the marketer's."
        if unit is Unit.RECORD
        else (_SEQUENCES_ALIKE if release.outcome.table.is_linked else _PERSONS_ALIKE).format(
            one=unit.value, many=unit.plural
        ),
        table(("", "original", "release"), rows, ""),
        charts.curve(
            points,
            title=f"Published {unit.plural} in classes of at most so many",
            across=f"{unit.plural} in the class",
            upwards=f"{unit.plural} in classes up to this size",
            mark=float(min(sizes)),
        ),
        charts.columns(binned_up, title="Published classes by size", across=f"{unit.plural} in the class"),
        folded(table((f"{unit.plural} in the class", "classes"), list(binned_sizes(sizes).items()), "")),
    )


def _hides_in_classes(release: Release) -> bool:
    """Whether equal records are what protects people; noise and overlapping generalizations protect without them."""
    return any(criterion["name"] == "k-anonymity" for criterion in release.certificate.criteria)


def disclosure(assessment: Assessment) -> str:
    """What classes say about sensitive columns."""
    if not assessment.disclosure:
        return ""
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
        {one.after.column: one.after.average for one in assessment.disclosure},
        title="How often the most frequent value of a class is right",
        top=1.0,
    )
    return section(
        "What a class says about its sensitive values",
        "How often somebody who knows a person's class and guesses its most frequent value is right.",
        picture,
        table(
            ("column", "without a class", "original", "release", "worst class", f"{counted} in classes of one value"),
            rows,
            "",
        ),
    )


def singled_out(assessment: Assessment) -> str:
    """Which combinations of columns are dangerous in the original."""
    uniques = assessment.uniques
    if uniques is None:
        return ""
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


def provenance(release: Release) -> str:
    """Parameters, how it was found, and how to make it again."""
    certificate, facts = release.certificate, release.facts
    rows = [("method", certificate.method), *((name, _short(value)) for name, value in certificate.parameters.items())]
    rows += [("version of Shoal", certificate.version)]
    found = table(("fact", "value"), [(n, formatted(v)) for n, v in facts.search.items()], "") if facts.search else ""
    return section(
        "How it was made",
        "The release file stands beside this report; <code>shoal run release.toml</code> makes a release like this one "
        "again, and <code>shoal check release/</code> verifies what can be verified from the published files.",
        table(("parameter", "value"), rows, ""),
        f"<h3>The search</h3>{found}" if found else "",
    )


def _short(value: object) -> str:
    text = ", ".join(formatted(item) for item in value) if isinstance(value, list | tuple) else formatted(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
