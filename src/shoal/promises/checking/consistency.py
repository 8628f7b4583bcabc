"""Whether a certificate agrees with itself: what follows from its method and parameters is derived again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from math import isclose, isfinite
from pathlib import Path
from typing import Any

from shoal.criteria import Criterion
from shoal.criteria.reference import needs_input
from shoal.criteria.registry import CRITERIA, from_dict
from shoal.data.encoded import Cap, EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.schema import Column, Role, Schema
from shoal.data.unit import Unit
from shoal.errors import DataError, ShoalError, agreeing, listed
from shoal.methods import Method
from shoal.methods.parts.pricing import Priced, priced_for
from shoal.parameters.words import came
from shoal.plan.method import METHODS, parameters_of, parse_method
from shoal.promises.certificate import Certificate
from shoal.promises.certify import insensitive_assumption, released_parameters
from shoal.promises.guarantee import Basis, Guarantee
from shoal.promises.verify import with_checkable
from shoal.quality.registry import QUALITY_MODELS

_VAST = re.compile(r"\s*[+-]?[\d._]*[eE][+-]?[\d_]{4,}\s*")
"""A number that would take forever to write out."""

_RECODED = ("level", "levels", "pieces")
"""What a certificate says about a column that was recoded."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What a certificate says, understood.

    Attributes:
        certificate: The certificate.
        roles: The published columns and their roles.
        criteria: What can be verified, and the number that is said to be reached.
    """

    certificate: Certificate
    roles: Mapping[str, Role]
    criteria: tuple[tuple[Criterion, float], ...]

    @property
    def is_test_run(self) -> bool:
        """Whether it was made with seeded coins, and promises nothing."""
        return self.certificate.seeded

    @property
    def schema(self) -> Schema:
        """The published columns as they are counted: noise takes no part in any class, pseudonyms are persons."""
        passed = {Role.PERTURBED: Role.INSENSITIVE, Role.PSEUDONYM: Role.PERSON, Role.KEYED: Role.INSENSITIVE}
        return Schema(tuple(Column(name, passed.get(role, role)) for name, role in self.roles.items()))

    def names(self, *roles: Role) -> tuple[str, ...]:
        """The columns in some roles."""
        return tuple(name for name, role in self.roles.items() if role in roles)

    def damaged(self, where: Path) -> DataError:
        """The error for what cannot be understood."""
        return _damaged(where)


def claims_of(certificate: Certificate, where: Path) -> Claims:
    """What a certificate says; refuses one that says nothing, or that says one thing here and another there."""
    try:
        columns = [(_name(column), Role(column["role"])) for column in certificate.columns]
        criteria = tuple(_criterion(fields, where) for fields in certificate.criteria)
        promised = [criterion.statement for criterion, _ in criteria]
    except DataError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
        raise _damaged(where) from None
    roles = dict(columns)
    if len(roles) < len(columns):
        raise _contradicts(certificate, where, "a column stands in it twice")
    verified = [_as_worded_now(one.statement) for one in certificate.guarantees if one.basis is Basis.VERIFIED]
    if bool(certificate.guarantees) is certificate.seeded:  # a test run promises nothing, and nothing else does
        raise _contradicts(certificate, where, "a test run promises nothing, and everything else promises something")
    if sorted(verified) != sorted(promised):
        raise _contradicts(certificate, where, "what it says is verified is not what it gives to verify")
    claims = Claims(certificate, roles, criteria)
    _require_roles(claims, where)
    return claims


def require_derived(claims: Claims, table: EncodedTable, where: Path) -> list[str]:
    """Refuse a certificate whose promises do not follow from its method and parameters; what could not be derived."""
    certificate = claims.certificate
    if certificate.method not in METHODS:
        unknown = f"this version of Shoal does not know the method {certificate.method!r}"
        return [f"{unknown}: whether its promises follow from its parameters was not looked at"]
    method = _method(claims, where)
    _require_roles_of(method, claims, where)
    made = _made(method, certificate, where)
    derived_numbers, stated, notes = released_parameters(made), dict(certificate.parameters), []
    if (model := _brought_model(certificate)) is not None:  # what else it has to say of itself, only its maker knows
        notes = [f"the quality model {model!r} is none of Shoal's, and its parameters were not looked at"]
        del derived_numbers["quality"]
        stated = {key: value for key, value in stated.items() if key in derived_numbers}
    if not _alike(derived_numbers, stated):
        raise _contradicts(certificate, where, "its numbers do not follow from the parameters of its method")
    if certificate.reading != method.reading:
        raise _contradicts(certificate, where, f"it is read otherwise than what {certificate.method} publishes")
    table = _counted_as(certificate, table)
    criteria, promises = [criterion for criterion, _ in claims.criteria], with_checkable(made.inner.promises(table))
    if not claims.is_test_run and set(criteria) != {promise for promise in promises if not needs_input(promise)}:
        raise _contradicts(certificate, where, "what it gives to verify is not what its parameters promise")
    if claims.is_test_run:
        return notes
    outcome = Outcome(table=table, published=table.counts, shown={})
    derived = made.guarantees(outcome)
    derived += tuple(Guarantee(c.statement, Basis.CLAIMED) for c in promises if needs_input(c))
    others = [guarantee for guarantee in certificate.guarantees if guarantee.basis is not Basis.VERIFIED]
    if sorted(map(_promise, derived)) != sorted(map(_promise, others)):
        raise _contradicts(certificate, where, "what it promises is not what its parameters promise")
    return notes


def _made(method: Method, certificate: Certificate, where: Path) -> Priced:
    """The method as it was run for whom the certificate speaks of."""
    if method.cost is not None and (certificate.unit is Unit.RECORD) != (certificate.max_records is None):
        raise _contradicts(certificate, where, "it does not say how many records of each took part")
    try:
        return priced_for(method, certificate.unit, certificate.max_records)
    except ShoalError:
        raise _contradicts(certificate, where, f"{method.name} promises nothing for so many records each") from None


def _counted_as(certificate: Certificate, table: EncodedTable) -> EncodedTable:
    """The table as the method was given it, as far as promises depend on it: whose records were counted."""
    cap = None if certificate.max_records is None else Cap(certificate.max_records, certificate.unit)
    counts_records = cap is not None and (cap.records == 1 or not METHODS[certificate.method].counts_persons)
    return replace(table, unit=Unit.RECORD if counts_records else certificate.unit, capped=cap)


def _brought_model(certificate: Certificate) -> str | None:
    """The name of a quality model that somebody brought along; None if it is one of Shoal's."""
    model = certificate.parameters.get("quality")
    return model if isinstance(model, str) and model not in QUALITY_MODELS else None


def _as_worded_now(statement: str) -> str:
    """A promise of k = 2 as certificates have it now; they once said "at least 1 others"."""
    return re.sub(
        r"(at least 1 other)(?:s| (person|household)s)", lambda was: " ".join(filter(None, was.groups())), statement
    )


def _promise(guarantee: Guarantee) -> tuple[str, ...]:
    """A promise without its assumptions, some of which only its maker knows."""
    most = None if guarantee.cost is None else guarantee.cost.max_records
    return (
        guarantee.statement,
        guarantee.basis.value,
        str(guarantee.neighbors),
        guarantee.unit.value,
        str(guarantee.cost),
        str(most),
    )


def _require_roles(claims: Claims, where: Path) -> None:
    """Refuse roles under which nothing is promised, or that the rest of the certificate refutes."""
    certificate = claims.certificate
    if claims.names(Role.IDENTIFIER):
        raise _contradicts(certificate, where, "it tells of an identifier among the published columns")
    is_all_noise = bool(claims.names(Role.PERTURBED)) and not claims.criteria  # then there is nothing to count
    if not claims.names(Role.QUASI_IDENTIFIER) and not is_all_noise:
        raise DataError(
            f"{where} promises nothing: it tells of no quasi-identifier, so all records are alike whatever they say. "
            "Ask its publisher for the release as `shoal run` wrote it."
        )
    recoded = [column["name"] for column in certificate.columns if any(key in column for key in _RECODED)]
    odd = [name for name in recoded if claims.roles[name] is not Role.QUASI_IDENTIFIER]
    if odd:
        raise _contradicts(
            certificate,
            where,
            agreeing(
                odd, "was generalized and is not a quasi-identifier", "were generalized and are no quasi-identifiers"
            ),
        )
    verified = [promise for promise in certificate.guarantees if promise.basis is Basis.VERIFIED]
    about = {text for promise in verified for text in promise.assumptions}
    passed = claims.names(Role.INSENSITIVE)
    assumed = {text for text in about if text.startswith(insensitive_assumption(()))}
    if verified and assumed != ({insensitive_assumption(passed)} if passed else set()):
        raise _contradicts(
            certificate, where, "it does not say of the same columns everywhere that they are insensitive"
        )


def _require_roles_of(method: Method, claims: Claims, where: Path) -> None:
    """Refuse roles that the method does not give."""
    perturbed = tuple(getattr(method, "perturbed", ()))
    if set(claims.names(Role.PERTURBED)) != set(perturbed):
        raise _contradicts(claims.certificate, where, "other columns have noise than its parameters say")
    if claims.names(Role.PSEUDONYM) and not method.links_records:
        raise _contradicts(claims.certificate, where, f"{method.name} links no records by a pseudonym")
    kept = getattr(method, "target", None)
    others = [name for name in claims.names(Role.SENSITIVE, Role.INSENSITIVE) if name != kept]
    if method.covers == "all" and others:
        what = f"{method.name} makes a quasi-identifier of every column, and not of {listed(others)}"
        raise _contradicts(claims.certificate, where, what)


def _method(claims: Claims, where: Path) -> Method:
    """The method with the parameters of the certificate, without the numbers that follow from them."""
    certificate = claims.certificate
    own = [field.name for field in fields(METHODS[certificate.method])]
    if _brought_model(certificate) is not None:
        own.remove("quality")
    else:
        own = parameters_of(certificate.method, certificate.parameters.get("quality"))
    given = {key: _given(value) for key, value in certificate.parameters.items() if key in own}
    try:
        return parse_method({"name": certificate.method, **given}, claims.schema, str(where))
    except ShoalError:
        raise _contradicts(
            certificate, where, f"its parameters are none that {certificate.method} takes with these columns"
        ) from None


def _given(value: Any) -> Any:
    """A parameter as a release file has it: what is not set is not there; no text is a number beyond all bounds."""
    if isinstance(value, Mapping):
        return {key: _given(part) for key, part in value.items() if part is not None}
    if isinstance(value, str) and _VAST.fullmatch(value):
        raise ValueError
    return [_given(part) for part in value] if isinstance(value, list) else value


def _name(column: Mapping[str, Any]) -> str:
    if type(column["name"]) is not str or type(column["role"]) is not str:
        raise TypeError
    return column["name"]


def _criterion(fields: Mapping[str, Any], where: Path) -> tuple[Criterion, float]:
    if isinstance(fields["name"], str) and fields["name"] not in CRITERIA:
        raise DataError(
            f"{where} promises {came(fields['name'])}, which is no criterion that is known here; install the package "
            "that brings it, and check again."
        )
    criterion, reached = from_dict({k: v for k, v in fields.items() if k != "reached"}), fields["reached"]
    if type(reached) not in (int, float) or not isfinite(reached):
        raise TypeError
    if not all(type(value) in (int, float, str, list) for value in fields.values() if value is not None):
        raise TypeError
    hash(criterion)
    return criterion, float(reached)


def _alike(one: Any, other: Any) -> bool:
    """Whether two parameters are the same, as far as a certificate writes them: fractions as decimals."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) or isinstance(other, float):
        is_number = type(one) in (int, float) and type(other) in (int, float)
        return is_number and isclose(one, other, rel_tol=1e-9)
    return type(one) is type(other) and bool(one == other)


def _damaged(where: Path) -> DataError:
    return DataError(f"{where} is not a certificate of Shoal, or is damaged.")


def _contradicts(certificate: Certificate, where: Path, what: str) -> DataError:
    own = version("shoal")
    maker = certificate.version if len(certificate.version) <= 40 and certificate.version.isprintable() else "another"
    other = "" if certificate.version == own else f" It was made by Shoal {maker}, and this is {own}."
    return DataError(
        f"{where} contradicts itself: {what}; ask its publisher for the release as `shoal run` wrote it.{other}"
    )
