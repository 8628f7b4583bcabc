"""The page about attacks: the sentences first, then a picture of each with its baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import Enum
from html import escape
from math import isfinite
from typing import Any

from shoal.attacks import EpsilonFound, Found, Rate
from shoal.attacks.release.trying import Tried
from shoal.pages.attack_verdict import attack_verdict
from shoal.pages.charts import intervals
from shoal.pages.report.layout import about, owners_page, section
from shoal.pages.report.tables import folded, items, table
from shoal.promises.certificate import Certificate


def page(tried: Sequence[Tried], notes: Sequence[str] = (), certificate: Certificate | None = None) -> str:
    """The page; `notes` are sentences about what the attacks were given, `certificate` is that of the release."""
    found = [one.found for one in tried if one.found is not None]
    pieces = [section("In one line each", "", items(headline(one) for one in found))] if found else []
    pieces += [section(one.title, "", f"<p>{escape(str(one))}</p>", _picture(one.title, one.rates)) for one in found]
    skipped = [f"{one.attack}: {one.why_not}" for one in tried if one.found is None]
    if skipped:
        pieces.append(section("Not tried", "", items(skipped)))
    method = (
        "Each attack is tried on people drawn at random, and beside it stands what anybody could do without it. Lines "
        "through the points are 95% intervals: where they overlap, the difference may be chance. That an attack finds "
        "nothing does not prove that no attack would."
    )
    pieces.append(section("How to read this", "", f"<p>{method}</p>", items(notes) if notes else ""))
    return owners_page(
        "Shoal: attacks",
        "What an attacker would find",
        head="" if certificate is None else about(certificate, release=certificate.about.title),
        summary=attack_verdict(tried).html(),
        sections=pieces,
    )


def headline(found: Found) -> str:
    """An attack and what it is measured against, in one line."""
    if isinstance(found, EpsilonFound):
        return f"{found.title}: epsilon is at least {found.epsilon:.2f}; promised is {found.promised:g}"
    (_, rate), (against, other) = list(found.rates.items())[:2]
    return f"{found.title}: {rate.value:.1%}; {against}, {other.value:.1%}"


def _picture(title: str, rates: Mapping[str, Rate]) -> str:
    figures = "; ".join(f"{name} {rate}" for name, rate in rates.items())
    rows = [(name, f"{r.value:.2%}", f"{r.low:.2%}", f"{r.high:.2%}", r.trials or "") for name, r in rates.items()]
    numbers = table(("who", "rate", "95% from", "to", "people or runs tried"), rows, "")
    drawn = intervals([(name, r.value, r.low, r.high) for name, r in rates.items()], title=title, description=figures)
    return drawn + folded(numbers)


def to_dict(tried: Sequence[Tried]) -> dict[str, Any]:
    """What attacks found, for machines."""
    return {
        "attacks": [
            {
                "attack": one.attack,
                "title": one.found.title,
                "sentence": str(one.found),
                "rates": {name: _plain(asdict(rate)) for name, rate in one.found.rates.items()},
                "details": _plain(asdict(one.found)),  # type: ignore[call-overload]
            }
            for one in tried
            if one.found is not None
        ],
        "not_tried": [{"attack": one.attack, "why": one.why_not} for one in tried if one.found is None],
    }


def _plain(value: Any) -> Any:
    """Numbers and texts that JSON knows."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value
