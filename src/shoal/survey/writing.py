"""How a file seems to be written: its encoding, its decimal sign, its days, spaces around texts.

Found out once, by `shoal init`, from the first records, and written into the release file with the reason, so that no
run has to find it out again: what a run does must not hang on records. The owner corrects it like every other guess.
"""

from __future__ import annotations

import codecs
import datetime as dt
import gzip
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.data.attribute import NUMBER
from shoal.engines.codes.coding import decoded, is_text
from shoal.engines.reading.foreign.codebook import Codebook
from shoal.engines.reading.foreign.source import ForeignSource
from shoal.engines.reading.layout import LAST_SHORT_YEAR, ColumnLayout, DateFormat, Layout, day_of
from shoal.engines.reading.source import Source, is_gzip, open_source

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 20
_MOST_LABELS = 20_000
_MOST_FORMATS = 3
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_YEARS = (1800, 2100)
"""Eight digits are a day if all are in these years."""

_WAYS = (
    (",", None),
    (".", ","),
    (",", "."),
    (".", " "),
    (",", " "),
    (".", "'"),
    (",", "'"),
)
"""Decimal signs and what stands between thousands, the likelier first."""

_DAYS = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d%b%Y",
    "%b %d, %Y",
    "%Y%m%d",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d-%m-%y",
    "%m-%d-%y",
    "%d %b %y",
    "%d-%b-%y",
    "%d%b%y",
)
_CLOCKS = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S")
_EITHER = (
    ("%d/%m/%Y", "%m/%d/%Y"),
    ("%d-%m-%Y", "%m-%d-%Y"),
    ("%d/%m/%y", "%m/%d/%y"),
    ("%d-%m-%y", "%m-%d-%y"),
)
"""Ways to write days that the days themselves may not tell apart."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How a file seems to be written.

    Attributes:
        layout: What to declare.
        why: The reason for each key of [data].
        why_dates: The reason for the dates of each column.
        codebook: What the file itself says about its columns.
    """

    layout: Layout = field(default_factory=Layout)
    why: Mapping[str, str] = field(default_factory=dict)
    why_dates: Mapping[str, str] = field(default_factory=dict)
    codebook: Codebook = field(default_factory=Codebook)


def writing_of(path: Path, given: Layout, missing: Iterable[str]) -> Writing:
    """How the file at a path is written, beyond what is given; `missing` are texts that mean a missing value."""
    why: dict[str, str] = {}
    layout = given
    if given.encoding == "utf-8" and path.is_file() and _is_text_file(path):
        layout = replace(layout, encoding=_encoding(path))
        if layout.encoding != "utf-8":
            is_marked = layout.encoding == "utf-16"
            why["encoding"] = "its first bytes say so" if is_marked else "it is not UTF-8; check a name with accents"
    source = open_source(path, layout)
    book = source.codebook() if isinstance(source, ForeignSource) else Codebook()
    if len(book.sheets) > 1 and layout.sheet is None:
        layout = replace(layout, sheet=book.sheets[0])
        why["sheet"] = f"the first of {len(book.sheets)}: {', '.join(book.sheets)}"
    labels = _first_labels(source, frozenset(missing))
    dates: dict[str, str] = {}
    own = []
    for name, texts in labels.items():
        formats, reason = _dates([text.strip() for text in texts])
        if formats:
            own.append(ColumnLayout(name, formats, last_year=_last_year(formats, texts)))
            dates[name] = reason
    numbers = {name: [text.strip() for text in texts] for name, texts in labels.items() if name not in dates}
    decimal, thousands, columns = _numbers(list(numbers.values()), prefers_comma=_has_semicolons(path, layout))
    if columns:
        some = f"{columns} column{'s' * (columns > 1)} of numbers {'are' if columns > 1 else 'is'} written so"
        why |= {"decimal": some, "thousands": some}
    padded = sum(any(text != text.strip() and not _is_number(text) for text in texts) for texts in labels.values())
    if padded:
        why["trim"] = f"{padded} column{'s have' if padded > 1 else ' has'} spaces around texts"
    layout = replace(layout, decimal=decimal, thousands=thousands, trim=bool(padded), columns=tuple(own))
    return Writing(layout, why, dates, book)


def _is_text_file(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".txt"))


def _encoding(path: Path) -> str:
    """UTF-8 if the whole file is; else what its first bytes say, or what Windows writes in the west."""
    found = {"utf-8": codecs.getincrementaldecoder("utf-8")(), "cp1252": codecs.getincrementaldecoder("cp1252")()}
    try:
        with gzip.open(path) if is_gzip(path) else path.open("rb") as file:
            block = file.read(_BLOCK)
            if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return "utf-16"
            while block and found:
                for name in list(found):
                    try:
                        found[name].decode(block)
                    except UnicodeDecodeError:
                        del found[name]
                block = file.read(_BLOCK)
    except (OSError, EOFError):  # said in full where the file is read
        return "utf-8"
    return next(iter(found), "latin-1")


def _first_labels(source: Source, missing: frozenset[str]) -> dict[str, list[str]]:
    """The distinct texts of the first records, without those that mean a missing value."""
    import pyarrow as pa

    types = source.types()
    names = [name for name, kind in types.items() if is_text(_held(kind))]
    for batch, _ in source.batches(names) if names else ():
        found = {}
        for name in names:
            column = batch.column(name)
            values = column.dictionary if pa.types.is_dictionary(column.type) else column.unique()
            texts = decoded(values.slice(0, _MOST_LABELS))
            found[name] = [text for text in texts if text is not None and text.strip() not in missing]
        return found
    return {}


def _held(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text.strip()) is not None


def _has_semicolons(path: Path, layout: Layout) -> bool:
    """Whether commas are free for numbers, as where Excel's language has a decimal comma."""
    from shoal.engines.reading.csv_source import CsvSource

    return path.is_file() and _is_text_file(path) and CsvSource(path, layout.delimiter, layout.encoding).told() == ";"


def _numbers(columns: Sequence[Sequence[str]], *, prefers_comma: bool) -> tuple[str, str | None, int]:
    """The decimal sign, what stands between thousands, and how many columns speak for it."""
    texts = [column for column in columns if column and not all(map(NUMBER.fullmatch, column))]
    texts = [column for column in texts if any(map(_DIGITS.search, column))]
    best: tuple[str, str | None, int] = (".", None, 0)
    ways = [way for way in _WAYS if _is_safe(way, columns)]
    if not prefers_comma:  # 1,234 is more likely a thousand where commas part the cells
        ways.sort(key=lambda way: way == (",", None) and not _has_short_fraction(texts))
    for way in ways:
        pattern = Layout(decimal=way[0], thousands=way[1]).number()
        assert pattern is not None  # no way is the usual one
        signs = [*([] if way[0] == "." else way[0]), *(way[1] or "")]
        speak = sum(
            all(map(pattern.fullmatch, column)) and any(sign in text for text in column for sign in signs)
            for column in texts
        )
        if speak > best[2]:
            best = (*way, speak)
    return best


def _has_short_fraction(columns: Sequence[Sequence[str]]) -> bool:
    """Whether a comma stands where none between thousands could."""
    comma = re.compile(r"[+-]?\d+,\d+", re.ASCII)
    group = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
    return any(
        all(comma.fullmatch(text) or NUMBER.fullmatch(text) for text in column)
        and any(comma.fullmatch(text) and not group.fullmatch(text) for text in column)
        for column in columns
    )


def _is_safe(way: tuple[str, str | None], columns: Sequence[Sequence[str]]) -> bool:
    """Whether no plain number of another column would become another: 1.234 a thousand and more."""
    if way[1] != ".":
        return True
    pattern = Layout(decimal=way[0], thousands=way[1]).number()
    assert pattern is not None
    plain = (column for column in columns if column and all(map(NUMBER.fullmatch, column)))
    return not any("." in text and (pattern.fullmatch(text) is not None) for column in plain for text in column)


def _dates(texts: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """How the days of a column are written, and why it seems so; nothing if they are no days, or as everywhere."""
    if not texts or all(map(_ISO_DAY.fullmatch, texts)) or not all(map(_DIGITS.search, texts)):
        return (), ""
    ways = [f"{day}{clock}" for day in _DAYS for clock in _CLOCKS if day != "%Y%m%d" or not clock]
    left = list(dict.fromkeys(texts))
    taken: list[str] = []
    while left and len(taken) < _MOST_FORMATS:
        fits = {way: _others(way, left) for way in ways}
        way = min(fits, key=lambda way: len(fits[way]))
        if len(fits[way]) == len(left):
            return (), ""
        taken.append(way)
        ways = [other for other in ways if not _is_rival(other, way)]
        left = fits[way]
    if left:
        return (), ""
    return tuple(taken), _reason(taken, texts, _last_year(taken, texts))


def _others(way: str, texts: Sequence[str]) -> list[str]:
    """The texts that are not days written so."""
    pattern = DateFormat(way).pattern()  # once, and not for each text: there may be many
    years = _YEARS if way == "%Y%m%d" else (dt.MINYEAR, dt.MAXYEAR)

    def is_day(text: str) -> bool:
        found = pattern.fullmatch(text)
        day = None if found is None else day_of(found)
        return day is not None and years[0] <= int(day[:4]) <= years[1]

    return [text for text in texts if not is_day(text)]


def _is_rival(one: str, other: str) -> bool:
    """Whether two ways differ in whether the day or the month comes first: a column has one of them."""
    return any({one[:8], other[:8]} == set(pair) for pair in _EITHER) or one == other


def _last_year(taken: Sequence[str], texts: Sequence[str]) -> int:
    """The last year that two digits mean: this one if a day would be yet to come, which tables seldom have."""
    today = dt.datetime.now(tz=dt.UTC).date()
    short = [DateFormat(way).pattern() for way in taken if "%y" in way]
    days = (day_of(found) for text in texts for way in short if (found := way.fullmatch(text.strip())))
    return today.year if any(day is not None and day > today.isoformat() for day in days) else LAST_SHORT_YEAR


def _reason(taken: Sequence[str], texts: Sequence[str], last_year: int) -> str:
    unsure = []
    if any(_may_be_rival(way, texts) for way in taken):
        unsure.append("no number above 12 tells whether the day or the month comes first")
    if any("%y" in way for way in taken):
        unsure.append(f"years with two digits are taken for {last_year - 99} to {last_year} at the latest")
    if unsure:
        return f"CHECK: {'; '.join(unsure)}"
    return "days are written so" if len(taken) == 1 else f"days are written in {len(taken)} ways; the first that fits"


def _may_be_rival(way: str, texts: Sequence[str]) -> bool:
    """Whether the days may as well be written with day and month the other way round."""
    for first, second in _EITHER:
        if way.startswith((first, second)):
            rival = (second if way.startswith(first) else first) + way[len(first) :]
            return not any(DateFormat(way).iso(text) and not DateFormat(rival).iso(text) for text in texts)
    return False
