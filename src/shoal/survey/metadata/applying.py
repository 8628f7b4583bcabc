"""A survey with what a description says: listed values and ranges become the declared domains of columns."""

from __future__ import annotations

from dataclasses import replace

from shoal.data.domain import Categorical
from shoal.errors import ParameterError
from shoal.survey.kinds import Kind, kind_of
from shoal.survey.looks import Look, Survey
from shoal.survey.metadata.described import Described, DescribedColumn


def with_description(survey: Survey, described: Described, where: str) -> Survey:
    """The survey with what is declared; refuses a description of another table."""
    if not any(look.name in described.columns for look in survey.columns):
        raise ParameterError(f"{where} describes none of the columns of the table; is it about another one?")
    return replace(
        survey,
        columns=tuple(
            _described(look, described.columns[look.name], where) if look.name in described.columns else look
            for look in survey.columns
        ),
    )


def _described(look: Look, said: DescribedColumn, where: str) -> Look:
    look = replace(look, label=said.label)
    if said.role is not None:
        look = replace(look, role=said.role, reason=f"as {where} says")
    if said.missing:
        look = replace(look, missing_codes=tuple(dict.fromkeys((*look.missing_codes, *said.missing))))
    if said.domain is not None:
        return replace(look, kind=Kind.of(said.domain), domain=said.domain, declared=where)
    values = tuple(dict.fromkeys(value for value in said.values if value.strip()))
    if values:
        times = dict(zip(look.values, look.times, strict=True)) if look.is_complete else {}
        kind, _ = kind_of(look.name, values)
        kind = kind if kind is Kind.CODES else Kind.CATEGORIES
        return replace(
            look,
            kind=kind,
            domain=Categorical(values),
            values=values,
            times=tuple(times.get(value, 0) for value in values),
            distinct=len(values),
            is_complete=True,
            declared=where,
        )
    return look
