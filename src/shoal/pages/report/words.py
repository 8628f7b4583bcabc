"""The summary: what a release means, in sentences that need no other."""

from __future__ import annotations

from math import exp, isnan, nan
from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.data.unit import Unit
from shoal.dp.accounting.relation import Neighbors
from shoal.promises.guarantee import Basis, Guarantee

if TYPE_CHECKING:
    from shoal.pages.report.assessment import Assessment
    from shoal.release import Release


def summary(release: Release, assessment: Assessment) -> list[str]:
    """What protects people, what it cost, what the release is still good for."""
    return [*_nothing(release), *_protection(release), _kept(release), *_use(assessment)]


def _nothing(release: Release) -> list[str]:
    """What an owner must know first: that a run has failed, which nobody else may."""
    failure = release.facts.failure
    if not failure:
        return []
    sentence = (
        f"This run failed and published no records; its budget is spent. What went wrong: {failure.rstrip('.')}. "
        "To everybody else it looks like a run that found nothing to publish, because a failure may tell of single "
        "records: keep this to yourself, and please report it if nothing is wrong with the table."
    )
    return [sentence]


def _protection(release: Release) -> list[str]:
    if release.certificate.seeded:
        return ["This is a test run: whoever knows the seed of its coins can undo them. It protects nobody."]
    sentences = []
    criteria = {criterion["name"]: criterion for criterion in release.certificate.criteria}
    if "sequence-anonymity" in criteria and release.certificate.records:
        reached = int(criteria["sequence-anonymity"]["reached"])
        sentences.append(
            f"Each published {release.facts.unit.value}, with all their records together, looks exactly like at least "
            f"{reached - 1:,} others in everything that others may know, so nobody can point at one of them."
        )
    elif "k-anonymity" in criteria and release.certificate.records:
        others = f"looks exactly like {_others(release, criteria['k-anonymity']['reached'])}"
        noisy = [c["name"] for c in release.certificate.columns if c["role"] == Role.PERTURBED.value]
        sentences.append(
            f"Each published record {others} in everything that others may know about a person, apart from the numbers "
            f"that carry noise ({', '.join(noisy)})."
            if noisy
            else f"Each published record {others} in everything that others may know about a person, so nobody can "
            "point at one of them."
        )
    sentences += [text for guarantee in release.certificate.guarantees if (text := _private(guarantee))]
    if not sentences:
        sentences.append("What is promised about the people in the table is listed below; read it before you publish.")
    return sentences


def _others(release: Release, reached: float) -> str:
    """How many others a record looks like: records, or those of other persons."""
    facts = release.facts
    if facts.unit is Unit.RECORD:
        return f"at least {int(reached) - 1:,} others"
    return f"records of at least {min(facts.class_sizes) - 1:,} other {facts.unit.plural}"


def _private(guarantee: Guarantee) -> str:
    """A differentially private guarantee for a layman."""
    if guarantee.cost is None or guarantee.basis is not Basis.PROVED:
        return ""
    epsilon, delta = float(guarantee.cost.epsilon), float(guarantee.cost.delta)
    but = f", except with a probability of at most {delta:.2g}" if delta else ""
    times = f"whatever it shows is at most {_factor(epsilon)} times as likely"
    is_several = guarantee.cost.unit is not Unit.RECORD
    whose = guarantee.cost.unit.value if is_several else "person"
    match guarantee.cost.neighbors:
        case Neighbors.ATTRIBUTES:
            what = f"what the values of {', '.join(sorted(guarantee.cost.protected))} were for any one {whose}"
            return f"Nobody can tell from this release {what}: {times} with them as with others{but}."
        case Neighbors.REPLACE:
            if is_several:
                what, as_with = f"what the records of any one {whose} were", "with them as with others"
            else:
                what, as_with = "what the record of any one person was", "with it as with another"
            return f"Nobody can tell from this release {what}: {times} {as_with}{but}."
        case Neighbors.ADD_REMOVE:
            what = f"whether any one {whose} was in the table"
            return f"Nobody can tell from this release {what}: {times} with the {whose} as without{but}."


def _factor(epsilon: float) -> str:
    factor = exp(min(epsilon, 50))
    return f"{factor:,.0f}" if factor >= 10 else f"{factor:.2f}"


def _kept(release: Release) -> str:
    facts, published = release.facts, release.certificate.records
    of = "" if facts.people is None else f" of {facts.people:,} {release.outcome.table.unit.plural}"
    share = facts.suppressed / max(facts.records, 1)
    if release.counts_are_noisy:
        return (
            f"The original has {facts.records:,} records{of}; {published:,} are published, in numbers that carry noise."
        )
    if not facts.suppressed:
        return f"All {facts.records:,} records{of} are represented by {published:,} published ones."
    return f"Of {facts.records:,} records{of} {published:,} are published; {share:.1%} were left out."


def _use(assessment: Assessment) -> list[str]:
    asked = assessment.queries
    if asked is None:
        return ["The original has no records, so there is nothing to compare with."]
    counted = f"Half of {len(asked.queries):,} random counts of records that match one to three conditions are off by "
    sentences = [f"{counted}{asked.median:.0%} or less."]
    kept = nan if assessment.dependence is None else assessment.dependence.information_kept
    if not isnan(kept):
        sentences.append(f"Of what columns tell about each other, {kept:.0%} is left.")
    for name, accuracy in list(assessment.accuracies.items())[:1]:
        sentences.append(
            f"A {name} classifier trained on the release predicts {assessment.target} right for {accuracy.release:.1%} "
            f"of the records; trained on the original, {accuracy.original:.1%}; always guessing the most frequent "
            f"value, {accuracy.trivial:.1%}."
        )
    return sentences
