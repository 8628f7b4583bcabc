"""advise(): three questions lead to a method, its parameters in words, and the reason; from public knowledge alone.

No data are looked at: what is recommended depends on what recipients need, who they are, how often is published, and,
if that is public, about how many records there are. The numbers are choices of careful practice, not laws; what they
mean follows from the definitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_FLOOR, Decimal
from enum import Enum
from math import log10
from typing import Any

from shoal.data.domain import Categorical
from shoal.data.schema import Role, Schema
from shoal.dp.accounting.odds import odds
from shoal.errors import ParameterError, ShoalError
from shoal.methods import SafePub
from shoal.methods.marginals.advice import expected_worth
from shoal.parameters import Count, read_parameters
from shoal.plan.expecting import Expectation, expected
from shoal.plan.method import METHODS

_SMALL = 20_000
"""Records below which SafePub leaves little of a table."""
_MANY = 300_000
"""Records from which on Mondrian is proposed instead of local recoding."""
_MOST_CLASSES = 20
"""Values of a column that recipients may want to predict."""
_DIVERSITY = 2.0
_DELTA = 1e-6


class Need(Enum):
    """What recipients need."""

    RECORDS = "records"
    """Records that are true, if coarser: nothing made up, nothing with noise."""
    STATISTICS = "statistics"
    """Counts, averages, models: single records may be changed."""
    COUNTS = "counts"
    """How many have these values in one, two or three columns: records may be made up."""


class Recipients(Enum):
    """Who receives the release."""

    PUBLIC = "public"
    """Anybody, for good: nothing can be taken back."""
    PARTNERS = "partners"
    """Named others who have signed what they may do with it."""
    INSIDE = "inside"
    """People of the same organization, bound to secrecy."""


_K = {Recipients.PUBLIC: 10, Recipients.PARTNERS: 5, Recipients.INSIDE: 3}
_EPSILON = {Recipients.PUBLIC: 1.0, Recipients.PARTNERS: 2.0, Recipients.INSIDE: 4.0}


@dataclass(frozen=True, slots=True)
class Questions:
    """The answers that advice follows from.

    Attributes:
        need: What recipients need: `records`, `statistics` or `counts`.
        recipients: Who receives the release: `public`, `partners` or `inside`.
        releases: How many releases about the same people there will be, this one included.
        records: About how many records the table has, if that is public.
    """

    need: Need
    recipients: Recipients
    releases: Count = 1
    records: Count | None = None

    def __post_init__(self) -> None:
        read_parameters(self)


@dataclass(frozen=True, slots=True)
class Advice:
    """A method with its parameters, what they mean, why, and what to mind.

    Attributes:
        method: Its name.
        parameters: As they stand in the [method] of a release file.
        limit: What all releases together may spend, if the method spends: ε and δ.
        means: What is promised, in words.
        because: Why this method and these numbers.
        mind: What has to be done or known before.
        expectation: What a run is likely to give, where columns are declared and the method is private.
    """

    method: str
    parameters: Mapping[str, Any]
    limit: tuple[float, float] | None
    means: tuple[str, ...]
    because: tuple[str, ...]
    mind: tuple[str, ...]
    expectation: Expectation = field(default_factory=Expectation)

    @property
    def toml(self) -> str:
        """The lines of a release file."""
        lines = ["[method]", f'name = "{self.method}"']
        lines += [f"{key} = {_toml(value)}" for key, value in self.parameters.items()]
        if self.limit is not None:
            epsilon, delta = self.limit
            lines += ["", "[budget]", f"limit = {{ epsilon = {epsilon:g}, delta = {delta:g} }}"]
        return "\n".join(lines)

    def __str__(self) -> str:
        told = [self.toml]
        for title, sentences in (("What it means", self.means), ("Why", self.because), ("Mind", self.mind)):
            if sentences:
                told.append("\n".join([f"{title}:", *(f"- {sentence}" for sentence in sentences)]))
        told += [str(self.expectation)] if str(self.expectation) else []
        return "\n\n".join(told)


def advise(
    need: Need | str,
    recipients: Recipients | str,
    releases: int = 1,
    *,
    records: int | None = None,
    schema: Schema | None = None,
    target: str | None = None,
) -> Advice:
    """A method and its parameters for what is to be published.

    Args:
        need: `records` that are true, if coarser, `statistics`, for which single records may be changed, or `counts` by
            a few columns at a time, for which records may be made up.
        recipients: `public`, `partners` who have signed, or people `inside` of the organization.
        releases: How many releases about the same people there will be, this one included.
        records: About how many records the table has, if that is public.
        schema: What is declared about columns, if there is something: no value of the data is looked at.
        target: The column that recipients want to predict, if there is one.

    Example:
        >>> import shoal
        >>> shoal.advise("records", "partners").method
        'local-recoding'
    """
    asked = Questions(need, recipients, releases, records)  # type: ignore[arg-type]  # words are read
    target = target or _only_target(schema)
    if schema is not None and target is not None:
        schema[target]  # refused by name if there is no such column
    if asked.need is Need.STATISTICS:
        return _told(_statistics(asked, schema, target), asked, schema)
    if asked.need is Need.COUNTS:
        return _told(_counts(asked, schema, target), asked, schema)
    is_open = asked.recipients is Recipients.PUBLIC or asked.releases > 1
    if is_open and (asked.records is None or asked.records >= _SMALL):
        return _told(_sampled(asked, schema), asked, schema)
    return _grouped(asked, schema)


def _told(advice: Advice, asked: Questions, schema: Schema | None) -> Advice:
    """The advice with what to expect of it, if the columns are declared so that it can be run."""
    if schema is None:
        return advice
    try:
        found = expected(schema, METHODS[advice.method](**advice.parameters), asked.records)
    except ShoalError:  # what is still to be declared is said in `mind`
        return advice
    mind = advice.mind if not str(found) else tuple(one for one in advice.mind if not one.startswith("Expect: "))
    return replace(advice, expectation=found, mind=mind)


def _sampled(asked: Questions, schema: Schema | None) -> Advice:
    total, delta = _EPSILON[asked.recipients], _delta(asked.records)
    each, part = _share(total, asked.releases), _share(delta, asked.releases)
    method = SafePub(epsilon=each, delta=part, expected_records=asked.records)
    parameters: dict[str, Any] = {"epsilon": each, "delta": part}
    if asked.records is not None:
        parameters["expected_records"] = asked.records
    drawn = (
        f"Every published value is true, if coarser. About {float(method.rate):.0%} of the records are drawn, and of "
        f"them those are published of which at least {method.k} look alike."
    )
    because = (
        "Recipients need true records, so nothing may be made up.",
        *_why_private(asked),
        f"ε = {total:g} over all releases is a common choice for {_called(asked.recipients)}{_split(asked)}.",
    )
    few = () if asked.records is not None else (
        f"Below about {_SMALL:,} records little is left: say how many there are if that is public, or need statistics.",
    )  # fmt: skip
    return Advice(
        "safepub", parameters, (total, delta), (odds(each, part), drawn), because, (*few, *_mind_private(schema))
    )


def _statistics(asked: Questions, schema: Schema | None, target: str | None) -> Advice:
    total = _EPSILON[asked.recipients]
    each = _share(total, asked.releases)
    name = "microaggregation-dp" if target is None else "diffgen"
    parameters: dict[str, Any] = {"epsilon": each} if target is None else {"epsilon": each, "target": target}
    what = (
        "Records are averages of groups with noise: columns keep their distributions, single records mean nothing."
        if target is None
        else f"Records are made from noisy counts of groups, chosen so that {target!r} can be predicted from others."
    )
    because = (
        "Recipients need statistics, so single records may be changed, and noise may hide everybody.",
        *_why_private(asked),
        f"ε = {total:g} over all releases is a common choice for {_called(asked.recipients)}{_split(asked)}.",
        *(
            ["No column is to be predicted; name one with target, and diffgen keeps what tells about it."]
            * (target is None)
        ),
    )
    return Advice(name, parameters, (total, 0.0), (odds(each, 0.0), what), because, _mind_private(schema))


def _counts(asked: Questions, schema: Schema | None, target: str | None) -> Advice:
    total = _EPSILON[asked.recipients]
    each = _share(total, asked.releases)
    parameters: dict[str, Any] = {"epsilon": each}
    if target is not None:
        parameters["target"] = target
    what = (
        "Records are made up so that counts by one, two or three columns are nearly the true ones; none is a person's."
    )
    mind = list(_mind_private(schema))
    if asked.records is not None:
        parameters["expected_records"] = asked.records
        published = [column for column in schema or () if column.role.is_published]
        if published:
            mind.append(f"Expect: {expected_worth(each, asked.records, len(published))}")
    because = (
        "Recipients need counts, so records may be made up, and noise may hide everybody.",
        *_why_private(asked),
        f"ε = {total:g} over all releases is a common choice for {_called(asked.recipients)}{_split(asked)}.",
    )
    return Advice("marginals", parameters, (total, 0.0), (odds(each, 0.0), what), because, tuple(mind))


def _grouped(asked: Questions, schema: Schema | None) -> Advice:
    k = _K[asked.recipients]
    name = "mondrian" if (asked.records or 0) >= _MANY else "local-recoding"
    parameters: dict[str, Any] = {"k": k}
    if schema is None or schema.names(Role.SENSITIVE):
        parameters["diversity"] = _DIVERSITY
    means = (
        f"Nobody can be told from at least {k - 1} others by the quasi-identifiers.",
        f"Who looks for a person by them is right one time in {k} at most.",
        *(["No sensitive value has more than half of any group."] * ("diversity" in parameters)),
        "Every published value is true, if coarser.",
    )
    because = [
        "Recipients need true records, so nothing may be made up.",
        f"k = {k} is a common choice for {_called(asked.recipients)}.",
        "Each record keeps the detail that its group allows.",
    ]
    if asked.recipients is Recipients.PUBLIC or asked.releases > 1:
        because.append(
            f"Of fewer than {_SMALL:,} records safepub, which is private and publishes true ones, leaves little."
        )
    mind = ["It protects from who knows the quasi-identifiers and nothing else: the roles decide everything."]
    if asked.releases > 1:
        mind.append(
            "k-anonymity does not add up: who compares two releases may find people whom each of them hides. Publish "
            "one, or need statistics, which a budget covers."
        )
    if schema is not None and schema.names(Role.INSENSITIVE):
        mind.append(f"Published as they are, and protected by nothing: {', '.join(schema.names(Role.INSENSITIVE))}.")
    METHODS[name](**parameters)  # what is advised can be made
    return Advice(name, parameters, None, means, tuple(because), tuple(mind))


def _why_private(asked: Questions) -> list[str]:
    why = []
    if asked.recipients is Recipients.PUBLIC:
        why.append(
            "What is public meets attackers who know anything, today and later: only differential privacy holds."
        )
    if asked.releases > 1:
        why.append("Several releases about the same people add up, and only a budget says to how much.")
    return why or ["Differential privacy needs no guess at what recipients know."]


def _split(asked: Questions) -> str:
    return "" if asked.releases == 1 else f", divided by {asked.releases} releases"


def _called(recipients: Recipients) -> str:
    return {
        Recipients.PUBLIC: "the public",
        Recipients.PARTNERS: "partners under contract",
        Recipients.INSIDE: "people inside",
    }[recipients]


def _mind_private(schema: Schema | None) -> tuple[str, ...]:
    """What a differentially private method asks for, and what of it a schema still lacks."""
    if schema is None:
        return (
            "Domains must be declared: by public lists (`shoal hierarchies`), or confirmed with `shoal declare`.",
            'Say in [data] what a person is: person = "row", or the column that tells persons apart.',
        )
    mind = []
    published = [column for column in schema if column.role.is_published]
    if undeclared := [column.name for column in published if not column.is_declared]:
        mind.append(f"Domains still to be declared, or confirmed with `shoal declare`: {', '.join(undeclared)}.")
    if plain := schema.names(Role.INSENSITIVE):
        mind.append(f"No column may be published as it is: give another role to {', '.join(plain)}.")
    if schema.person is None:
        mind.append('Say in [data] what a person is: person = "row", or the column that tells persons apart.')
    return tuple(mind)


def _only_target(schema: Schema | None) -> str | None:
    """The one sensitive column with named values, which recipients may well want to predict."""
    sensitive = [column for column in schema or () if column.role is Role.SENSITIVE]
    domains = [column.domain or (column.hierarchy.leaves() if column.hierarchy else None) for column in sensitive]
    is_class = len(domains) == 1 and isinstance(domains[0], Categorical) and domains[0].size <= _MOST_CLASSES
    return sensitive[0].name if is_class else None


def _share(whole: float, releases: int) -> float:
    """What each of several releases may spend: rounded down, so that all of them fit."""
    part = Decimal(str(whole)) / releases
    return float(part.quantize(Decimal(1).scaleb(part.adjusted() - 3), ROUND_FLOOR))


def _delta(records: int | None) -> float:
    """A power of ten, well below one in the number of records."""
    return _DELTA if records is None else min(_DELTA, 10.0 ** -(int(log10(records)) + 2))


def _toml(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{value:g}" if isinstance(value, float) else str(value)


def word_of(kind: type[Enum], given: str) -> str:
    """A word that names a member, or the number of one counted from 1."""
    words = [member.value for member in kind]
    if given.isdigit() and 1 <= int(given) <= len(words):
        return str(words[int(given) - 1])
    if given not in words:
        raise ParameterError(f"{given!r} is none of {', '.join(words)}.")
    return given
