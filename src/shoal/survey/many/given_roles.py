"""Roles that the owner gives in a file: a row per column or pattern, as a spreadsheet writes them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from shoal.data.name_patterns import fits, is_pattern
from shoal.data.schema import Role, role_named
from shoal.errors import ParameterError, PlanError, SchemaError, nearest
from shoal.survey.looks import Look, Survey


def read_roles(path: Path) -> list[tuple[str, Role]]:
    """Columns or patterns with their roles, from a CSV file with a header `column,role`; other cells are overlooked.

    Between cells stands a comma, or a semicolon or a tab, as spreadsheets write where numbers have a decimal comma.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        header = text.partition("\n")[0]
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count)))
    except FileNotFoundError:
        raise ParameterError(f"the file of roles {path} does not exist; --save-roles writes one.") from None
    except (OSError, ValueError, csv.Error) as error:
        raise ParameterError(f"the file of roles {path} cannot be read as CSV ({type(error).__name__}).") from None
    if not rows or not {"column", "role"} <= rows[0].keys():
        raise ParameterError(f"the file of roles {path} needs a first line with column and role, and a row per column.")
    given: list[tuple[str, Role]] = []
    lines: dict[str, int] = {}
    for number, row in enumerate(rows, start=2):
        try:
            given.append(((row["column"] or ""), role_named((row["role"] or "").strip())))
        except SchemaError as error:
            raise ParameterError(f"{path}, line {number}: {error}") from None
        name = given[-1][0]
        if lines.setdefault(name, number) != number:
            raise ParameterError(
                f"{path}, line {number}: {name!r} has a role in line {lines[name]} already; remove one of the two."
            )
    return given


def with_roles(survey: Survey, given: Sequence[tuple[str, Role]], where: str) -> Survey:
    """The survey with the roles given; a name counts before a pattern, and of several patterns the first."""
    names = [look.name for look in survey.columns]
    for name, _ in given:
        if name not in names and not (is_pattern(name) and any(fits(name, other) for other in names)):
            raise PlanError(f"{where}: the table has no column {name!r}.{nearest(name, names)}")
    exact = {name: role for name, role in given if name in names}
    patterns = [(name, role) for name, role in given if name not in names]

    def told(look: Look) -> Look:
        role = exact.get(look.name) or next((role for name, role in patterns if fits(name, look.name)), None)
        return look if role is None else replace(look, role=role, reason=f"given in {Path(where).name}")

    return replace(survey, columns=tuple(told(look) for look in survey.columns))


def roles_text(columns: Iterable[Look]) -> str:
    """The roles of a survey as such a file."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["column", "role", "kind", "values", "why"])
    writer.writerows([look.name, look.role.value, look.kind.value, look.distinct, look.reason] for look in columns)
    return file.getvalue()
