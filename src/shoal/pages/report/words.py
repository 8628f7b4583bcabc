"""What a release means for the people in it, in sentences that need no other."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.data.unit import Unit
from shoal.dp.accounting.relation import Neighbors
from shoal.promises.guarantee import Basis, Guarantee
from shoal.promises.statements import nsvdist_hardened

if TYPE_CHECKING:
    from shoal.release import Release

_MOST_NAMED = 6


def protection(release: Release) -> str:
    """What protects people: the strongest of what is proved or verified, as a layman reads it."""
    certificate = release.certificate
    private = [text for guarantee in certificate.guarantees if (text := _private(guarantee))]
    alike = _alike(release)
    if alike and _perturbed(release):  # k-anonymity protects some columns, noise the others
        return " ".join([alike, *private])
    if private:
        return private[0]
    if alike:
        return alike
    if several := _rows_each(release):
        return several
    if certificate.guarantees:
        first = certificate.guarantees[0]
        return f"What is promised about the people in the table: {first.statement} ({first.basis.value})."
    return "Nothing is promised about the people in the table."


def _perturbed(release: Release) -> list[str]:
    return [column["name"] for column in release.certificate.columns if column["role"] == Role.PERTURBED.value]


def promised_k(release: Release) -> int | None:
    """The one k of a report: how many look alike at least, as the certificate promises; None if it does not."""
    for criterion in release.certificate.criteria:
        if criterion["name"] in ("k-anonymity", "sequence-anonymity"):
            return int(criterion["k"])
    return None


def _alike(release: Release) -> str:
    """That records look alike, and in which columns; nothing if that is not promised."""
    certificate, k = release.certificate, promised_k(release)
    if k is None:
        return ""
    known = [column["name"] for column in certificate.columns if column["role"] == Role.QUASI_IDENTIFIER.value]
    schema = release.rows.schema
    noisy = [name for name in _perturbed(release) if schema[name].role is Role.QUASI_IDENTIFIER]
    apart = f" (but for {named(noisy)}, whose values chance has changed)" if noisy else ""
    if any(criterion["name"] == "sequence-anonymity" for criterion in certificate.criteria):
        return (
            f"Each published {release.facts.unit.value}, with all their records together, looks exactly like at least "
            f"{_several(k - 1)} in {named(known)}{apart}: whoever knows only these cannot tell which one a person is."
        )
    return (
        f"Each published record looks exactly like {_others(release, k)} in {named(known)}{apart}: whoever knows only "
        "these cannot tell which record is a given person's."
    )


def _others(release: Release, k: int) -> str:
    """How many others a record looks like: records, or those of other persons."""
    unit = release.facts.unit
    if unit is Unit.RECORD:
        return f"at least {_several(k - 1)}"
    of_persons = release.certificate.parameters.get("k")  # what is verified of records follows from it
    others = (of_persons if isinstance(of_persons, int) else k) - 1
    return f"records of at least {others:,} other {unit.value if others == 1 else unit.plural}"


def _several(others: int) -> str:
    return "1 other" if others == 1 else f"{others:,} others"


def _rows_each(release: Release) -> str:
    """What NSVDist promises with clusters and rings; nothing if that is not promised."""
    parameters = release.certificate.parameters
    k, diversity = parameters.get("k"), parameters.get("diversity")
    if not isinstance(k, int) or not isinstance(diversity, int | float) or diversity < 1:
        return ""
    promised = nsvdist_hardened(k, Fraction(diversity))
    if all(guarantee.statement != promised for guarantee in release.certificate.guarantees):
        return ""
    return (
        f"Each person fits at least {k:,} published records, and nobody can be surer of a sensitive value than "
        f"{1 / diversity:.0%}, as long as everything that is possible is held for equally likely."
    )


def named(columns: Sequence[str]) -> str:
    """The names of a few columns, and how many more there are."""
    if len(columns) <= _MOST_NAMED:
        return " and ".join(filter(None, [", ".join(columns[:-1]), *columns[-1:]]))
    return f"{', '.join(columns[: _MOST_NAMED - 1])} and {len(columns) - _MOST_NAMED + 1} more columns"


def _private(guarantee: Guarantee) -> str:
    """A differentially private guarantee for a layman."""
    if guarantee.cost is None or guarantee.basis is not Basis.PROVED:
        return ""
    epsilon, delta = float(guarantee.cost.epsilon), float(guarantee.cost.delta)
    but = f", except with a probability of at most {delta:.2g}" if delta else ""
    times = f"whatever it shows is at most {factor(epsilon)} times as likely"
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


def factor(epsilon: float) -> str:
    """e^ε, as people write it."""
    times = exp(min(epsilon, 50))
    return f"{times:,.0f}" if times >= 10 else f"{times:.2f}"
