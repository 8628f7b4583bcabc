"""The release file: TOML to a plan, with one clear sentence for whatever cannot be understood."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from shoal.data.schema import ROW, Column, Role, Schema
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.ledger.fingerprint import Dataset
from shoal.engines.base import Engine
from shoal.engines.lazy.addresses import LAKES, Address, is_url
from shoal.engines.lazy.files import Computing
from shoal.engines.opening import HERE, engine_at
from shoal.engines.reading.layout import PLAIN, Layout
from shoal.engines.reading.recognizing import dataset_at, dataset_of
from shoal.engines.writing import foreign
from shoal.errors import DataError, ParameterError, PlanError, SchemaError, ShoalError, nearest
from shoal.methods import Method
from shoal.methods.parts.declared import require_persons
from shoal.parameters import read_parameter, read_parameters
from shoal.parameters.words import came
from shoal.plan.budget import NO_LIMIT, BudgetPlan, parse_budget
from shoal.plan.column_patterns import spread
from shoal.plan.columns import column_layouts, known_keys, parse_column, string_at, strings
from shoal.plan.complaints import Complaints
from shoal.plan.method import METHODS, missing_parameters, parse_method, parse_quality
from shoal.promises.about import About
from shoal.quality.registry import QUALITY_MODELS

__all__ = ["FORMATS", "METADATA", "METHODS", "QUALITY_MODELS", "DataPlan", "Plan", "method_table", "parse_quality"]

FORMATS = ("csv", "parquet", *foreign.FORMATS)
"""What a release can be written as."""

METADATA = {"datapackage": "datapackage.json", "csvw": "data.csv-metadata.json", "prov": "prov.json"}
"""What describes a release to other programs, by the word that asks for it, and the file it stands in."""

_TABLES = ("release", "data", "columns", "method", "budget", "output")
_PERSONS = ("person", "household", "weight", "protect", "max_records", "pseudonym")
"""What [data] says about those whom records are about: fields of `Schema`."""

_LAYOUT = tuple(field.name for field in fields(Layout) if field.name != "columns")
"""What [data] says about how the file is written."""


@dataclass(frozen=True, slots=True)
class DataPlan:
    """Where the table is, and how it is written."""

    path: Path | Address
    missing: tuple[str, ...] = ("",)
    layout: Layout = PLAIN

    def __post_init__(self) -> None:
        read_parameters(self)

    def engine(
        self,
        path: Path | Address | None = None,
        computing: Computing = HERE,
        absorb: bool | tuple[str, ...] = False,
    ) -> Engine:
        """What reads the table, or another one that is written alike; `absorb` as for `open_source`."""
        return engine_at(
            self.path if path is None else path,
            layout=self.layout,
            missing=self.missing,
            computing=computing,
            absorb=absorb,
        )

    def dataset(self, name: str | None = None, delimiter: str | None = None, computing: Computing = HERE) -> Dataset:
        """What the table is recognized by."""
        if isinstance(self.path, Address):
            return dataset_of(self.engine(computing=computing), name, missing=self.missing)
        layout = self.layout if delimiter is None else replace(self.layout, delimiter=delimiter)
        return dataset_at(self.path, name, missing=self.missing, layout=layout)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a release is made from."""

    data: DataPlan
    schema: Schema
    method: Method
    output: Path
    format: str = "csv"
    budget: BudgetPlan = NO_LIMIT
    groups: bool = False
    """Whether the distinct published records are written too, with their counts."""
    table: str | None = None
    """The table of the database that the records go to instead of a file."""
    computing: Computing = HERE
    """What reads the files."""
    folder: Path = Path()
    """What the paths in criteria are relative to."""
    about: About = field(default_factory=About)
    """What the release is called, and who answers for it."""
    spreadsheet_safe: bool = False
    """Whether texts of a CSV file that a spreadsheet program could run get an apostrophe."""
    metadata: tuple[str, ...] = ()
    """Which descriptions for other programs go with the release, of `METADATA`."""
    examples: bool = True
    """Whether the owner's report shows ten records of the original beside what became of them."""
    notes: tuple[str, ...] = ()
    """Lines of the release file that have no use, a sentence each."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """The table of the release file that each column stands in, where that is not called as the column."""

    @staticmethod
    def load(path: Path, folder: Path | None = None) -> Plan:
        """Read a release file; paths in it are relative to it, or to `folder`, where it stood when it was run."""
        return _plan(_content(path), path, path.resolve().parent if folder is None else folder)

    def with_method(self, method: Method) -> Plan:
        """The same plan with another method."""
        return replace(self, method=method)

    def supposing_one_record_each(self) -> Plan:
        """The same plan as if the owner had affirmed one record for each person: for what is not published.

        Where a column tells persons apart, nothing is to be supposed.
        """
        if self.schema.unit_column is not None:
            return self
        return replace(self, schema=self.schema.with_person(ROW))

    def require_sense(self, path: Path) -> None:
        """Refuse a schema that the method cannot work with, before a row is read; `path` is for messages."""
        try:
            self.method.counted(self.schema)
            require_persons(self.schema, self.method)
        except ShoalError as error:
            raise type(error)(f"{path}: {error}") from None


_MANY_DOTS = re.compile(r"(?<![\w.-])[\w-]+(?:[ \t]*\.[ \t]*[\w-]+){100}")
"""A name of a table within a table, a hundred times."""


def _content(path: Path) -> Mapping[str, Any]:
    """The TOML of a release file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        is_deep = _MANY_DOTS.search(text) is not None  # read in a time that grows with the square of them
        content = {} if is_deep else tomllib.loads(text)
    except FileNotFoundError:
        raise PlanError(f"{path} does not exist; `shoal init DATA` writes a release file to start from.") from None
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{path} is not valid TOML: {error}.{_table_taken_for_a_file(path)}") from None
    except RecursionError:
        is_deep, content = True, {}
    except (OSError, ValueError) as error:
        raise PlanError(
            f"{path} cannot be read as UTF-8 text ({type(error).__name__}); expected a release file."
            f"{_table_taken_for_a_file(path)}"
        ) from None
    if is_deep:
        raise PlanError(f"{path} has lists or tables within each other, too deep for a release file.")
    return content


def _table_taken_for_a_file(path: Path) -> str:
    """What to do for whoever gives the data in place of a release file."""
    return (
        "" if path.suffix == ".toml" else f" If it is a table, `shoal init {path.name}` writes a release file for it."
    )


def method_table(path: Path) -> Mapping[str, Any]:
    """The [method] of a release file as it stands there."""
    return _table(_content(path), "method", str(path))


def _plan(content: Mapping[str, Any], path: Path, folder: Path) -> Plan:
    """A release file, understood; all that is wrong with it is said at once."""
    where = str(path)
    complaints, notes = Complaints(where), list[str]()
    known_keys(content, _TABLES, where)
    columns = _table(content, "columns", where)
    method_said = _table(content, "method", where)
    data, schema, method = None, None, None
    with complaints.kept():
        data = _data(_table(content, "data", where), folder, f"{where}, [data]")
    about, output, budget = None, None, NO_LIMIT
    with complaints.kept():
        about = _about(_optional_table(content, "release", where), f"{where}, [release]")
    with complaints.kept():
        output = _output(_optional_table(content, "output", where), f"{where}, [output]")
    said: dict[str, tuple[str, Any]] = {}
    with complaints.kept():
        said = spread(columns, lambda: _names(data), where)
    schema = _schema(said, _table(content, "data", where), folder, complaints, notes)
    if schema is not None:
        with complaints.kept():
            method = parse_method(_needed(method_said, schema, notes), schema, f"{where}, [method]")
    if method is not None and schema is not None:
        with complaints.kept():
            budget = _budget(content, method.cost, method.name, schema, folder, where)
    if output is not None and output.table is not None and data is not None:
        with complaints.kept():
            _require_database(data, where)
    if output is not None and schema is not None and output.format in foreign.FORMATS:
        with complaints.kept():
            _require_writable(output.format, schema, where)
    complaints.refuse()
    assert data is not None and schema is not None and method is not None  # noqa: PT018
    assert about is not None and output is not None  # noqa: PT018
    tables = {name: table for name, (_, table) in said.items()}
    columns_written = column_layouts(tables, schema, data.layout, where)
    return Plan(
        replace(data, layout=replace(data.layout, columns=columns_written)) if columns_written else data,
        schema,
        method,
        folder / output.path,
        output.format,
        budget,
        output.groups,
        output.table,
        folder=folder,
        about=about,
        spreadsheet_safe=output.spreadsheet_safe,
        metadata=tuple(output.metadata),
        examples=output.examples,
        notes=tuple(notes),
        tables={name: key for name, (key, _) in said.items() if key != name},
    )


def _budget(
    content: Mapping[str, Any], cost: PrivacyCost | None, method: str, schema: Schema, folder: Path, where: str
) -> BudgetPlan:
    if "budget" in content and cost is None:
        raise PlanError(
            f"{where}: [budget] limits what differentially private methods spend, and {method} is not one of "
            "them, or not in this mode; remove it."
        )
    if cost is None:
        return NO_LIMIT
    limits = _optional_table(content, "budget", where)
    usual = replace(cost.relation, unit=schema.unit)  # a limit is told as the method tells its cost, if nothing is said
    return parse_budget(limits, folder, f"{where}, [budget]", usual)


def _require_database(data: DataPlan, where: str) -> None:
    if not isinstance(data.path, Address) or data.path.scheme in LAKES:
        raise PlanError(f"{where}, [output]: table names a table of the database that [data] path is, and it is none.")


def _require_writable(form: str, schema: Schema, where: str) -> None:
    try:
        foreign.require_writable(form, [column.name for column in schema if column.role.is_published])
    except ParameterError as error:
        raise PlanError(f"{where}, [output]: {error}") from None


def _names(data: DataPlan | None) -> list[str]:
    """The columns of the data; none if there is no table yet, so that what looks like a pattern is a name."""
    try:
        return [] if data is None else list(data.engine().types())
    except DataError:
        return []


def _needed(table: Mapping[str, Any], schema: Schema, notes: list[str]) -> Mapping[str, Any]:
    """The [method] without what protects sensitive columns, where nothing is left that is published as it is."""
    if schema.names(Role.SENSITIVE, Role.INSENSITIVE):
        return table
    name = table.get("name")
    required = missing_parameters(name, {}) if isinstance(name, str) and name in METHODS else []
    useless = [key for key in ("diversity", "closeness") if key in table and key not in required]
    notes += [f"{key} protects sensitive columns, and there are none; it is ignored." for key in useless]
    return {key: value for key, value in table.items() if key not in useless}


def _about(table: Mapping[str, Any], here: str) -> About:
    known_keys(table, ("title", "owner", "contact"), here)
    try:
        return About(**{key: string_at(table, key, here) for key in table})
    except ParameterError as error:
        raise PlanError(f"{here}: {error}") from None


def _schema(
    said: Mapping[str, tuple[str, Any]],
    data: Mapping[str, Any],
    folder: Path,
    complaints: Complaints,
    notes: list[str],
) -> Schema | None:
    """The columns; of one that cannot be understood the role, so that what else is wrong can be said too."""
    where, parsed, is_whole = complaints.where, list[Column](), True
    for name, (key, table) in said.items():
        column = None
        with complaints.kept(once=key):
            column = parse_column(name, table, folder, where, notes)
        role = table.get("role") if isinstance(table, Mapping) else None
        if column is None and role not in [role.value for role in Role.to_declare()]:
            is_whole = False
        else:
            parsed.append(Column(name, Role(role)) if column is None else column)
    if not is_whole:
        return None
    schema = None
    with complaints.kept():
        try:
            schema = Schema(tuple(parsed), **{key: data[key] for key in _PERSONS if key in data})
        except (SchemaError, ParameterError) as error:
            raise PlanError(f"{where}, [data]: {error}") from None
    return schema


def _data(table: Mapping[str, Any], folder: Path, here: str) -> DataPlan:
    known_keys(table, ("path", "table", "query", *_PERSONS, "missing", *_LAYOUT), here)
    try:
        given = {key: read_parameter(Layout, key, table[key]) for key in _LAYOUT if key in table}
        layout = Layout(**given) if given else PLAIN
    except ParameterError as error:
        raise PlanError(f"{here}: {error}") from None
    missing = tuple(strings(table.get("missing", [""]), f"{here} missing"))
    return DataPlan(_place(table, folder, here), missing, layout)


def _place(table: Mapping[str, Any], folder: Path, here: str) -> Path | Address:
    """A file or a folder, or a table of a database."""
    path = string_at(table, "path", here)
    asked = {key: string_at(table, key, here) for key in ("table", "query") if key in table}
    if not is_url(path):
        if asked:
            raise PlanError(f"{here}: {next(iter(asked))} goes with the URL of a database, and path is a file.")
        return folder / path
    try:
        return Address(path, **asked, folder=folder)
    except ParameterError as error:
        raise PlanError(f"{here}: {error}") from None


@dataclass(frozen=True, slots=True)
class _Output:
    """What [output] says."""

    path: str = "release"
    format: str = "csv"
    table: str | None = None
    groups: bool = False
    spreadsheet_safe: bool = False
    metadata: Sequence[str] = ()
    examples: bool = True


def _output(table: Mapping[str, Any], here: str) -> _Output:
    known_keys(table, tuple(one.name for one in fields(_Output)), here)
    form = table.get("format", "csv")
    if form not in FORMATS:
        known = ", ".join(FORMATS)
        raise PlanError(f"{here}: format must be one of {known}; got {form!r}.{nearest(str(form), FORMATS)}")
    for key in ("groups", "spreadsheet_safe", "examples"):
        if not isinstance(table.get(key, False), bool):
            raise PlanError(f"{here}: {key} must be true or false; got {table[key]!r}.")
    if table.get("spreadsheet_safe") and form != "csv":
        raise PlanError(f"{here}: spreadsheet_safe is about CSV files, and format is {form!r}; leave it out.")
    _require_metadata(table, form, here)
    texts = {key: string_at(table, key, here) for key in ("path", "table") if key in table}
    return _Output(**{**table, **texts})


def _require_metadata(table: Mapping[str, Any], form: str, here: str) -> None:
    asked = table.get("metadata", [])
    odd = [name for name in asked if name not in tuple(METADATA)] if isinstance(asked, list) else [asked]
    if odd or len(set(asked)) < len(asked):
        raise PlanError(
            f"{here}: metadata must be a list of {', '.join(METADATA)}, each once; got {came(asked)}."
            f"{nearest(str(odd[0]), list(METADATA)) if odd else ''}"
        )
    if "csvw" in asked and (form != "csv" or "table" in table):
        raise PlanError(f"{here}: csvw describes a CSV file, which is not written here; leave it out of metadata.")


def _table(content: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    if key not in content:
        raise PlanError(
            f"{where}: the table [{key}] is missing; `shoal init DATA` writes a release file to start from."
        )
    value = content[key]
    if not isinstance(value, Mapping):
        raise PlanError(f"{where}: {key} must be a table, [{key}]; got {value!r}.")
    return value


def _optional_table(content: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    return _table(content, key, where) if key in content else {}
