"""What is promised, what was spent, and how the release was made."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from shoal.pages.report.layout import Section, section
from shoal.pages.report.tables import formatted, items, table

if TYPE_CHECKING:
    from shoal.release import Release


def promises(release: Release) -> Section:
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
        "publisher; it is not proved, and the published table alone does not tell; <em>measured</em> is no promise: "
        "what is left was measured, and somebody may find more."
    )
    return section("What is promised", meaning, f"<ul class=promises>{rows}</ul>", found, granted)


def budget(release: Release) -> Section | None:
    """What was spent, and what holds at a larger ε."""
    spent = [guarantee for guarantee in release.certificate.guarantees if guarantee.cost is not None]
    if not spent:
        return None
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


def provenance(release: Release) -> Section:
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
