"""The verdict on attacks: how many were tried, the worst of what they found, and what that does not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.attacks import (
    CompositionFound,
    EpsilonFound,
    Found,
    InferenceFound,
    LinkageFound,
    MembershipFound,
    OverlapFound,
    PersonLinkageFound,
    ValuesFound,
)
from shoal.attacks.release.trying import Tried
from shoal.pages.report.verdict import Level, Verdict

_ACCEPTED = 0.2
"""The chance to find a record that is often accepted: classes of five (El Emam 2013)."""
_NOTICEABLE = 0.05
"""A smaller difference between people who are in the table and others is not worth a warning."""


def attack_verdict(tried: Sequence[Tried]) -> Verdict:
    """What the attacks come to; for the owner only."""
    found = [one.found for one in tried if one.found is not None]
    if not found:
        nothing = "No attack could be tried, so nothing is known about what an attacker would find."
        return Verdict(Level.WEIGH, (nothing, *_not_tried(tried)))
    broken = [text for one in found for text in _broken(one)]
    dangers = list(dict.fromkeys([*broken, *(text for one in found for text in _dangers(one))]))
    worst, *others = dangers or [_harmless(found)]
    several = f"{len(found)} attacks were" if len(found) > 1 else "One attack was"
    return Verdict(
        Level.STOP if broken else Level.WEIGH if dangers else Level.FINE,
        (
            f"{several} tried on people of the original, each beside what anybody could do without it.",
            worst,
            " ".join(["That an attack finds nothing does not prove that no attack would.", *_not_tried(tried)]),
        ),
        tuple(others),
    )


def _broken(found: Found) -> Iterator[str]:
    """Promises that an attack refutes."""
    if isinstance(found, EpsilonFound) and found.refutes:
        yield (
            f"The promise does not hold: with 95% confidence epsilon is at least {found.epsilon:.2f}, and "
            f"{found.promised:g} is promised. Please report this."
        )


def _dangers(found: Found) -> Iterator[str]:
    """What an attack found that an owner has to answer for."""
    match found:
        case LinkageFound() if found.success.value > _ACCEPTED:
            at_most = "up to " if found.is_bound else ""
            yield (
                f"Whoever knows {_columns(found.known)} of a person finds the person's record in {at_most}"
                f"{found.success.value:.0%} of cases, where {_ACCEPTED:.0%} is often accepted."
            )
        case PersonLinkageFound():
            if found.most.value > _ACCEPTED:
                yield (
                    f"Whoever knows the record of a {found.unit.value} that is easiest to find picks the right one in "
                    f"{found.most.value:.0%} of cases, where {_ACCEPTED:.0%} is often accepted."
                )
            if found.only is not None and found.only.value > 0:
                yield (
                    f"Whoever knows all records of a {found.unit.value}, and which published ones belong together, is "
                    f"certain about {found.only.value:.1%} of them."
                )
        case InferenceFound():
            yield from _inferred(found)
        case MembershipFound() if found.advantage.low > _NOTICEABLE:
            yield (
                f"Whether a person is in the table can be told: it is said of {found.members.value:.0%} of those who "
                f"are, and of {found.others.value:.0%} of those who are not."
            )
        case OverlapFound() if found.certain.value > 0:
            yield (
                f"Whoever knows everybody else can be certain about {found.column} of at least "
                f"{found.certain.value:.1%} of people, where nobody's should be."
            )
        case CompositionFound() | ValuesFound() if found.both.value > _NOTICEABLE + max(r.value for r in found.alone):
            what = "are singled out" if isinstance(found, CompositionFound) else f"have a certain {found.column}"
            alone = max(rate.value for rate in found.alone)
            yield (
                f"By the two releases together {found.both.value:.1%} of people {what}, by one of them {alone:.1%} at "
                "most."
            )
        case _:
            return


def _inferred(found: InferenceFound) -> Iterator[str]:
    """What can be learned about a person, where being in the table makes a difference or nothing tells that it does."""
    if found.certain is not None and found.certain.value > 0:
        yield f"About {found.certain.value:.1%} of people the release leaves no doubt what their {found.column} is."
    advantage = found.advantage
    if advantage is not None and advantage.low > _NOTICEABLE:
        yield (
            f"To be in the table costs people: their {found.column} is guessed right for {found.success.value:.0%}, "
            f"that of people who are not in it for {found.rates['people not in the table'].value:.0%}."
        )
    elif advantage is None and found.success.low > found.baseline.high + _NOTICEABLE:
        yield (
            f"A person's {found.column} is guessed right for {found.success.value:.0%}, where always the most frequent "
            f"value is right for {found.baseline.value:.0%}; whether that is for being in the table, only a control "
            "group tells."
        )


def _harmless(found: Sequence[Found]) -> str:
    """The best that attacks did, where it is little."""
    links = [one for one in found if isinstance(one, LinkageFound)]
    if not links:
        return "None of them found more about people in the table than could be found without it."
    best = max(links, key=lambda one: one.success.value)
    return (
        f"The best of them finds a person's record in {best.success.value:.1%} of cases, knowing "
        f"{_columns(best.known)}; {_ACCEPTED:.0%} is often accepted."
    )


def _not_tried(tried: Sequence[Tried]) -> list[str]:
    names = list(dict.fromkeys(one.attack for one in tried if one.found is None))
    return [f"Not tried: {', '.join(names)}."] if names else []


def _columns(known: Sequence[str]) -> str:
    return f"{len(known)} column{'' if len(known) == 1 else 's'}"
