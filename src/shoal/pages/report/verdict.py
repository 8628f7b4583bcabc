"""The verdict on a release: what protects people, the greatest risk that is left, and what it cost; three sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from html import escape
from typing import TYPE_CHECKING, Any

from shoal.data.hierarchies.wording import HIDDEN
from shoal.data.schema import Role
from shoal.methods import Mode
from shoal.pages.report.columns import without_value
from shoal.pages.report.tables import items
from shoal.pages.report.words import factor, named, promised_k, protection
from shoal.promises.guarantee import Basis
from shoal.risk import AttributeDisclosure

if TYPE_CHECKING:
    from shoal.pages.report.assessment import Assessment
    from shoal.release import Release

_WEAK_EPSILON = 5.0
"""Above it a promise of differential privacy is a factor of 150 and more: more than most readers would call private."""
_HALF = 0.5
LINKING_RISK = "linking risk"
"""How methods call what they measure of values that chance has changed."""
_RARELY_WRONG = 0.1
_ONE_IN_A_HUNDRED = 0.01


class Level(Enum):
    """What a verdict comes to, in the words that stand above it."""

    FINE = "Nothing was found that speaks against publishing it"
    """Given what is taken for granted."""
    WEIGH = "To be weighed before it is published"
    """Something is left that its owner has to answer for."""
    STOP = "Not to be published"
    """It protects nobody, or is nothing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a board reads first, and signs.

    Attributes:
        level: What it comes to.
        sentences: What protects people; the greatest risk that is left; what it cost.
        points: What else is to be weighed.
    """

    level: Level
    sentences: tuple[str, ...]
    points: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.level.value}.", *self.sentences, *(f"- {point}" for point in self.points)])

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"level": self.level.name.lower(), "sentences": list(self.sentences), "points": list(self.points)}

    def html(self) -> str:
        """As it stands on a page."""
        sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)
        points = f"<p>Also to be considered:</p>{items(self.points)}" if self.points else ""
        return f'<p class="level {self.level.name.lower()}">{escape(self.level.value)}</p>{sentences}{points}'


def verdict(release: Release, assessment: Assessment) -> Verdict:
    """The verdict on a release; for its owner only."""
    facts = release.facts
    if facts.failure:
        return Verdict(Level.STOP, _failed(facts.failure), ())
    if release.certificate.seeded:
        test = "This is a test run: whoever knows the seed of its coins can undo them. It protects nobody."
        return Verdict(Level.STOP, (test, *_cost(release, assessment)))
    if not release.certificate.records:
        nothing = "No record is published: there was nothing that could be published under what was asked for."
        return Verdict(Level.STOP, (nothing, *_cost(release, assessment)), tuple(_hardly_read(release)))
    risks = list(_risks(release, assessment))
    left, *others = risks or [_harmless(release, assessment)]
    cost, *uses = _cost(release, assessment)
    return Verdict(
        Level.WEIGH if risks else Level.FINE,
        (protection(release), left, cost),
        (*(_alone(risk) for risk in others), *_hardly_read(release), *_declared_harmless(release), *uses),
    )


def _alone(risk: str) -> str:
    """A risk that stands by itself, and not against what protects people."""
    text = risk.removeprefix("But ")
    return text[:1].upper() + text[1:]


def _failed(failure: str) -> tuple[str, ...]:
    """What an owner must know first: that a run has failed, which nobody else may."""
    nobody_else = (
        "To everybody else it looks like a run that found nothing to publish, because a failure may tell of single "
        "records: keep this to yourself, and please report it if nothing is wrong with the table."
    )
    wrong = failure.rstrip(".")
    return f"This run failed and published no records; its budget is spent. What went wrong: {wrong}.", nobody_else


def _risks(release: Release, assessment: Assessment) -> Iterator[str]:
    """What is left that may harm people, the worst first."""
    certificate = release.certificate
    bases = {guarantee.basis for guarantee in certificate.guarantees}
    if Basis.MEASURED in bases:
        yield _only_measured(release)
    if certificate.parameters.get("mode") == Mode.AS_PUBLISHED.value and Basis.PROVED not in bases:
        yield (
            "But it was made as the paper describes, whose claims are not all proved; what the rigorous mode promises "
            "does not hold for it."
        )
    elif bases <= {Basis.CLAIMED}:
        yield (
            "Nothing about this release is proved or can be verified: what is said of it is claimed, by a paper or by "
            "the publisher."
        )
    disclosed = _disclosed(release, assessment)
    yield from (_read_off(after) for after in disclosed if after.homogeneous > 0)
    yield from (
        _guessed(after)
        for after in disclosed
        if not after.homogeneous and after.highest > max(_HALF, after.baseline) + 1e-9
    )
    yield from (f"An {finding}." if finding.startswith("audit") else f"{finding}." for finding in certificate.findings)
    yield from _weak(release)
    risk, is_truthful = assessment.risk, promised_k(release) is not None or _recodes(release)
    if risk is not None and risk.after.prosecutor.at_risk and is_truthful and not release.is_drawn:
        yield (
            f"But {_share(risk.after.prosecutor.at_risk)} of the {risk.after.unit.plural} stand in groups so small "
            f"that somebody who knows that a person is there picks the right one with a chance of "
            f"{risk.after.prosecutor.highest:.0%}; rules for health data often ask for "
            f"{risk.after.prosecutor.threshold:.0%} or less."
        )


def _recodes(release: Release) -> bool:
    """Whether published records are those of people, with coarser values."""
    return release.outcome.recoding is not None and not release.outcome.is_made_up


def _only_measured(release: Release) -> str:
    """That nothing formal is promised about columns that chance has changed, and what was measured instead."""
    changed = [column["name"] for column in release.certificate.columns if column["role"] == Role.PERTURBED.value]
    measured = [value for name, value in release.facts.losses.items() if name.startswith(LINKING_RISK)]
    links = (
        f"; whoever knows them nearly finds the record of {max(measured):.1%} of the people all the same"
        if measured
        else ""
    )
    return f"But about {named(changed)} nothing is promised: chance has changed the values{links}."


def _read_off(after: AttributeDisclosure) -> str:
    """Homogeneity: the group tells the value of everybody in it."""
    affected = int(after.sizes[after.largest >= 1 - 1e-12].sum())
    guessed = f"a guess without this table is right for {after.baseline:.0%}"
    return (
        f"But {_share(after.homogeneous)} of the {after.unit.plural} ({affected:,}) stand in groups in which everybody "
        f"has the same {after.column}: whoever knows that a person is in the table learns it without finding the "
        f"record ({guessed})."
    )


def _guessed(after: AttributeDisclosure) -> str:
    """Groups in which most have the same value."""
    return (
        f"But {_share(after.at_risk(_HALF + 1e-9))} of the {after.unit.plural} stand in groups in which more than half "
        f"have the same {after.column}, in the worst one {after.highest:.0%}: whoever knows that a person is in the "
        f"table can guess it without finding the record (a guess without this table is right for {after.baseline:.0%})."
    )


def _weak(release: Release) -> Iterator[str]:
    """Promises of differential privacy whose numbers are large."""
    for guarantee in release.certificate.guarantees:
        cost = guarantee.cost
        if cost is None or guarantee.basis is not Basis.PROVED:
            continue
        if float(cost.epsilon) > _WEAK_EPSILON:
            yield (
                f"An epsilon of {float(cost.epsilon):g} is a weak promise: what is shown may be "
                f"{factor(float(cost.epsilon))} times as likely because of one {_whom(release)}."
            )
        if float(cost.delta) * release.facts.records >= 1:
            yield (
                f"Delta is {float(cost.delta):.2g}, and there are {release.facts.records:,} records: a mechanism that "
                "publishes somebody's record outright would meet such a promise. Choose a delta far below one in "
                "the number of records."
            )


def _whom(release: Release) -> str:
    return "person" if release.certificate.unit.value == "record" else release.certificate.unit.value


def _disclosed(release: Release, assessment: Assessment) -> list[AttributeDisclosure]:
    """What groups say about sensitive columns, where their numbers are not noisy."""
    return [] if release.counts_are_noisy else [one.after for one in assessment.disclosure]


def _harmless(release: Release, assessment: Assessment) -> str:
    """What stands in the place of a risk where none was found."""
    if disclosed := _disclosed(release, assessment):
        worst = max(disclosed, key=lambda after: after.highest)
        return (
            f"No group gives away what is sensitive: even in the worst one a guess of {worst.column} is right for "
            f"{worst.highest:.0%} of its {worst.unit.plural}, and {worst.average:.0%} on average over all groups "
            f"({worst.baseline:.0%} without this table)."
        )
    return (
        "What can be learned about people in general, such as how a disease goes with age, is not hidden, and holds "
        "for those who are not in the table as well."
    )


def _declared_harmless(release: Release) -> Iterator[str]:
    passed = [column["name"] for column in release.certificate.columns if column["role"] == "insensitive"]
    if passed:
        yield (
            f"Published as they are, because the owner declared them harmless: {', '.join(passed[:8])}"
            f"{f' and {len(passed) - 8} more' if len(passed) > 8 else ''}."
        )


def _cost(release: Release, assessment: Assessment) -> tuple[str, ...]:
    """What it cost, and what it is still good for: one sentence, and others for whoever wants to know more."""
    asked = assessment.queries
    if asked is None:
        return ("The original has no records, so there is nothing to compare with.",)
    fit = (
        "good for counting"
        if asked.median <= _RARELY_WRONG
        else "rough for counting"
        if asked.median <= 0.5
        else "of little use for counting"
    )
    typical = f"{asked.median:.0%}" if asked.median >= _ONE_IN_A_HUNDRED else "less than 1%"
    off = f"the release is {fit}: typical counts of records that match one to three conditions are off by {typical}"
    sentences = [f"{_kept(release)}; {off}."]
    sentences += _hardest_hit(release, assessment)
    hidden = [column["name"] for column in release.facts.columns if column["recoding"] == HIDDEN]
    if hidden:
        sentences.append(f"It shows nothing of {named(hidden)}.")
    sentences += [
        f"A {name} classifier trained on the release predicts {assessment.target} right for {accuracy.release:.1%} "
        f"of the records; trained on the original, {accuracy.original:.1%}; always guessing the most frequent "
        f"value, {accuracy.trivial:.1%}."
        for name, accuracy in list(assessment.accuracies.items())[:1]
    ]
    return tuple(sentences)


def _hardly_read(release: Release) -> list[str]:
    """Columns of a private run that most records hold nothing in: only the owner may be told, and has to be."""
    table = release.outcome.table
    found = [name for name, records in without_value(table).items() if records > _HALF * table.total]
    sentence = (
        f"More than half of the records hold nothing in {named(found)} that the declared domain holds: check the "
        "encoding and the delimiter in [data], and the domain."
    )
    return [sentence] if found else []


def _hardest_hit(release: Release, assessment: Assessment) -> list[str]:
    """Who loses most, where somebody loses far more than others."""
    found = () if assessment.left_out is None else assessment.left_out.groups
    what = "have no record like theirs in it" if release.is_drawn else "are left out"
    return [
        f"Not everybody is left out alike: of the {group.records:,} records with {group.who}, {group.left_out:.0%} "
        f"{what}, of all others {group.others_left_out:.1%}."
        for group in found
        if group.loses_far_more
    ][:1]


def _kept(release: Release) -> str:
    facts, published = release.facts, release.certificate.records
    of = "" if facts.people is None else f" of {facts.people:,} {release.outcome.table.unit.plural}"
    if release.counts_are_noisy:
        return (
            f"The original has {facts.records:,} records{of}; {published:,} are published, in numbers that carry noise"
        )
    if not facts.suppressed:
        return f"All {facts.records:,} records{of} are represented by {published:,} published ones"
    share = facts.suppressed / max(facts.records, 1)
    why = ", by chance, which is part of what protects them" if release.is_drawn else ""
    return f"Of {facts.records:,} records{of} {published:,} are published ({share:.1%} were left out{why})"


def _share(value: float) -> str:
    return f"{value:.1%}" if value >= 0.0005 else "fewer than 0.1%"
