"""A release file from a look at the table: every guess on a line of its own, with the reason beside it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence

from shoal.data.domain import Dates, Grid
from shoal.data.hierarchies.marks import GROUPS_SEEN, Mark, marked
from shoal.data.name_patterns import fits, is_pattern
from shoal.data.schema import Role
from shoal.engines.reading.layout import PLAIN
from shoal.survey.kinds import Kind
from shoal.survey.levels import Levels, propose_levels
from shoal.survey.looks import Look, Survey
from shoal.survey.many.together import joined, pattern_for
from shoal.survey.method_lines import method_lines
from shoal.survey.people import people_lines
from shoal.survey.toml_text import comment, key, text, texts
from shoal.survey.writing import Writing

HIERARCHIES = "hierarchies"
_LAYOUT = ("delimiter", "encoding", "sheet", "decimal", "thousands", "trim")

_HEADER = """\
# A release file to correct. `shoal init` looked at the data and guessed; the reason stands beside each guess.
# Go through the roles first: identifiers are left out, and so is what is "dropped" because nobody needs it;
# quasi-identifiers are made coarser, sensitive values published as they are and protected by the groups they stand in,
# insensitive ones published as they are.
# Then: shoal run {name}
#
# `observed = true` marks a domain that was taken from the data, and so were the values in {folder}/. k-anonymity can
# work with that; a differentially private method will ask you to declare the domain: write every value that is
# possible, whether or not it occurs, and remove `observed = true`; or, if it is public knowledge as it stands, confirm
# that with `shoal declare {name}`. Until then keep this file to yourself.
"""


def propose(
    survey: Survey,
    data: str,
    name: str = "release.toml",
    writing: Writing | None = None,
    *,
    table: str | None = None,
    query: str | None = None,
    patterns: bool = True,
) -> dict[str, str]:
    """The release file and the hierarchy files it names, by their paths beside each other.

    Args:
        survey: What the table looks like.
        data: Where the table is, seen from the release file.
        name: What the release file will be called.
        writing: How the file is written, where that is to be declared.
        table: Which table of a database it is.
        query: What a database was asked instead.
        patterns: Whether columns of which the same is said may share a table, `[columns."q_*"]`.
    """
    files: dict[str, str] = {}
    writing = writing or Writing()
    asked = {"table": table, "query": query}
    blocks = [_HEADER.format(name=name, folder=HIERARCHIES), _RELEASE, _data(survey, data, asked, writing)]
    columns = []
    for look in survey.columns:
        levels = propose_levels(look) if look.role.is_published and not _is_as_it_is(look) else None
        path = ""
        if levels is not None and levels.rows:
            path = f"{HIERARCHIES}/{_file_name(look.name, files)}.csv"
            files[path] = _csv(levels, is_declared=bool(look.declared))
        columns.append((look.name, _column(look, levels, path, writing)))
    shared = _patterns([column for column, _ in columns]) if patterns else []
    blocks += [*joined(columns, shared), method_lines(survey), _OUTPUT]
    return {**files, name: "\n".join(blocks)}


def _patterns(names: Sequence[str]) -> list[tuple[str, frozenset[str]]]:
    """Patterns of numbered names, each with all that it stands for; none where a name itself looks like a pattern."""
    if any(map(is_pattern, names)):
        return []
    patterns = dict.fromkeys(pattern_for(name) for name in names if any(map(str.isdigit, name)))
    return [(pattern, frozenset(name for name in names if fits(pattern, name))) for pattern in patterns]


def _data(survey: Survey, data: str, asked: Mapping[str, str | None], writing: Writing) -> str:
    place = "" if "://" in data else comment("relative to this file")
    lines = ["[data]", f"path = {text(data)}{place}"]
    lines += [f"{word} = {text(value)}" for word, value in asked.items() if value is not None]
    lines += people_lines(survey.columns)
    lines.append(f"missing = {texts(survey.missing_tokens)}{comment('what stands for a missing value')}")
    for name in _LAYOUT:
        value = getattr(writing.layout, name)
        if value != getattr(PLAIN, name):
            why = comment(writing.why[name]) if name in writing.why else ""
            lines.append(f"{name} = {'true' if value is True else text(value)}{why}")
    return "\n".join(lines) + "\n"


def _column(look: Look, levels: Levels | None, path: str, writing: Writing) -> str:
    label = look.label or writing.codebook[look.name].label
    lines = [f"[columns.{key(look.name)}]{comment(f'{label}: {described(look)}' if label else described(look))}"]
    lines.append(f"role = {text(look.role.value)}{comment(look.reason)}")
    dates = writing.layout.of(look.name).dates
    if dates and look.role.is_published:
        lines.append(f"dates = {texts(dates)}{comment(writing.why_dates.get(look.name, ''))}")
    if levels is None:
        return "\n".join(lines) + "\n"
    if look.missing_codes:
        lines.append(f"missing = {texts(look.missing_codes)}{comment(_coded(look))}")
    elif look.missing:
        lines.append(f"missing = true{comment(f'{_percent(look.missing_share)} of the values are missing')}")
    if not levels.is_declared:
        lines.append(_domain(look, levels))
    if path:
        lines.append(f"hierarchy = {text(path)}{comment(levels.why)}")
    elif look.role is Role.QUASI_IDENTIFIER:
        lines.append(f"hierarchy = {levels.inline}{comment(levels.why)}")
    return "\n".join(lines) + "\n"


def _is_as_it_is(look: Look) -> bool:
    """Whether there is nothing to declare: sensitive numbers of many digits, which are published as they are."""
    return look.role is Role.SENSITIVE and look.kind is Kind.NUMBERS and look.domain is None


def _coded(look: Look) -> str:
    """Why some numbers are taken for missing values."""
    if look.declared:
        return f"as {look.declared} says"
    return f"{_percent(look.missing_share)} of the values; far from all other numbers, as codes for a missing value are"


def _domain(look: Look, levels: Levels) -> str:
    if look.declared:
        return _declared(look, levels)
    match look.domain:
        case Grid() as grid:
            low, high = grid.labels([0, grid.steps])
            seen = f"from = {low}, to = {high}, step = {grid.number(grid.step)}"
            return f"domain = {{ {seen}, observed = true }}{comment('the smallest and largest number seen')}"
        case Dates() as dates:
            seen = f"from = {dates.first.isoformat()}, to = {dates.last.isoformat()}"
            return f"domain = {{ {seen}, observed = true }}{comment('the first and last day seen')}"
    if levels.values is not None:
        return f"domain = {{ values = {texts(levels.values)}, observed = true }}{comment('the values seen')}"
    return f"domain = {{ observed = true }}{comment('the values in the first column of the hierarchy: all seen')}"


def _declared(look: Look, levels: Levels) -> str:
    """What somebody else has declared."""
    as_said = comment(f"as {look.declared} says")
    match look.domain:
        case Grid() as grid:
            low, high = grid.labels([0, grid.steps])
            return f"domain = {{ from = {low}, to = {high}, step = {grid.number(grid.step)} }}{as_said}"
        case Dates() as dates:
            return f"domain = {{ from = {dates.first.isoformat()}, to = {dates.last.isoformat()} }}{as_said}"
    if levels.values is not None:
        return f"domain = {texts(levels.values)}{as_said}"
    return f"# domain: the values in the first column of the hierarchy, as {look.declared} says"


def described(look: Look) -> str:
    """What a column holds, and how many different values."""
    if not look.is_complete:
        return f"{look.kind.value} (over {look.distinct:,})" if look.distinct else look.kind.value
    return f"{look.kind.value} ({look.distinct:,})"


_RELEASE = """\
# [release]                         # who answers for it: on the report, and published with the release
# title = "What it is called"
# owner = "Who makes it"
# contact = "Whom to ask"
"""

_OUTPUT = f"""\
[output]
path = "release/"{comment("what may be published; the report goes beside it, into release-owner/, and may not")}
format = "csv"{comment("or parquet, xlsx, sav, dta")}
"""


def _percent(share: float) -> str:
    return "under 0.1%" if share < 0.001 else f"{share:.1%}"


def _file_name(column: str, taken: dict[str, str]) -> str:
    """A name that any file system takes, and that no other column has."""
    stem = re.sub(r"[^\w-]+", "_", column)[:60].strip("_") or "column"
    if re.fullmatch(r"con|prn|aux|nul|com\d|lpt\d", stem, re.IGNORECASE):  # Windows keeps these for devices
        stem += "_"
    used = {path.casefold() for path in taken}
    number, name = 1, stem
    while f"{HIERARCHIES}/{name}.csv".casefold() in used:
        number += 1
        name = f"{stem}_{number}"
    return name


def _csv(levels: Levels, *, is_declared: bool = False) -> str:
    file, rows = io.StringIO(), levels.rows
    writer = csv.writer(file, lineterminator="\n")
    first = "level0" if is_declared else marked([row[0] for row in rows], Mark.SEEN)
    header = [first, *(f"level{i}" for i in range(1, len(rows[0])))]
    if levels.is_by_frequency:
        header[1] += f" ({GROUPS_SEEN})"
    writer.writerow(header)
    writer.writerows(rows)
    return file.getvalue()
