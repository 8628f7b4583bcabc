"""The release file as a JSON Schema: editors complete and explain it, and mark what cannot be understood.

The schema speaks of shape: keys, types, words. It refuses nothing that `Plan.load` understands; that all of it makes
sense together only `shoal run` can tell. Methods, criteria and quality models come from their registries with the
parameters that their classes declare; columns, data, budget and output are written out here as `plan/` reads them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any

from shoal.criteria import Criterion
from shoal.criteria.registry import CRITERIA
from shoal.data.hierarchies.standards.catalog import catalog
from shoal.data.schema import Pseudonyms, Role
from shoal.data.unit import Unit
from shoal.dp.accounting.relation import KINDS
from shoal.engines.reading.layout import THOUSANDS
from shoal.errors import ParameterError
from shoal.methods import ClassBounds, Method
from shoal.parameters.json_schema import JsonSchema, schema_of
from shoal.parameters.lists import Parameter, listed_parameters, summary
from shoal.plan.columns import RECIPES
from shoal.plan.method import METHODS
from shoal.plan.plan import FORMATS, METADATA
from shoal.plugins import Registry
from shoal.quality import QualityModel
from shoal.quality.registry import QUALITY_MODELS

_TEXT: JsonSchema = {"type": "string", "minLength": 1}
_FLAG: JsonSchema = {"type": "boolean"}
_NUMBER: JsonSchema = {"type": "number"}
_WHOLE: JsonSchema = {"type": "integer"}
_VALUES: JsonSchema = {"type": "array", "items": {"type": ["string", "number", "boolean"]}}


def release_schema(*, brought: bool = True) -> JsonSchema:
    """The JSON Schema of release files.

    Args:
        brought: Also for the methods, criteria, quality models and hierarchies that other installed packages bring.
    """
    methods, models, criteria, recipes = (
        _classes(registry, brought=brought) for registry in (METHODS, QUALITY_MODELS, CRITERIA, RECIPES)
    )
    tables = {
        "release": _described(_about(), "What the release is called, and who answers for it; published with it."),
        "data": _described(_data(), "Where the table is, and how it is written."),
        "columns": {
            "type": "object",
            "additionalProperties": {"$ref": "#/definitions/column"},
            "description": "Every column of the data, [columns.NAME].",
        },
        "method": {"$ref": "#/definitions/method"},
        "budget": _described(_budget(), "What may be spent on the dataset over all its releases."),
        "output": _described(_output(), "Where the release goes, and how it is written."),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Release file of Shoal",
        **_table(tables, required=("data", "columns", "method")),
        "definitions": {
            "column": _column(recipes),
            "tree": {
                "anyOf": [
                    {"type": "array", "items": {"type": "string"}},
                    {"type": "object", "additionalProperties": {"$ref": "#/definitions/tree"}},
                ]
            },
            "quality": {"enum": list(models)},
            "method": _one_of({name: _method(name, kind, models) for name, kind in methods.items()}),
            "criterion": _one_of({name: _named(name, kind) for name, kind in criteria.items()}),
            "bounds": _table(
                {
                    "column": {"type": "string"},
                    "from": _NUMBER,
                    "to": _NUMBER,
                    "where": {"type": "object", "description": "For which records: values or groups by column."},
                },
                required=("column", "from", "to"),
            ),
        },
    }


def _classes(registry: Registry, *, brought: bool) -> dict[str, type[Any]]:
    """Those that can be loaded: a broken package is in nobody's way, as where release files are read."""
    found = dict(registry.own)
    for name in registry if brought else ():
        with suppress(ParameterError):
            found[name] = registry[name]
    return found


def _about() -> JsonSchema:
    return _table(
        {
            "title": _described(_TEXT, "What the release is called."),
            "owner": _described(_TEXT, "Who makes it and answers for it."),
            "contact": _described(_TEXT, "Whom to ask."),
        }
    )


def _data() -> JsonSchema:
    keys = {
        "path": _described(
            _TEXT,
            "A CSV, Parquet or Arrow file, or a folder of such files, relative to the release file; or the URL of a "
            "database, without a password.",
        ),
        "table": _described(_TEXT, "The table of the database that path is."),
        "query": _described(_TEXT, "What is asked of the database instead of a table."),
        "person": _described(
            _TEXT, 'The column that tells persons apart; "row" affirms that each record is another person.'
        ),
        "household": _described(_TEXT, "The column that tells households apart."),
        "weight": _described(_TEXT, "The column that says how many of the population a record stands for."),
        "protect": {"enum": ["person", "household"], "description": "Whom guarantees are about; persons if not given."},
        "max_records": _described(
            {**_WHOLE, "minimum": 1}, "How many records of each of them take part at most, drawn before anything else."
        ),
        "pseudonym": _described(
            _FLAG, "Whether published records carry a pseudonym, drawn at random, that says which are of one person."
        ),
        "missing": _described(_VALUES, "Texts that mean a missing value."),
        "delimiter": _described(_TEXT, "Of a CSV file; found out from the header if not given."),
        "encoding": _described(_TEXT, "Of a CSV file."),
        "sheet": _described(_TEXT, "Of a workbook; its first one if not given."),
        "decimal": {"enum": [".", ","], "description": "What stands before the digits behind the point."},
        "thousands": {"enum": list(THOUSANDS), "description": "What stands between groups of three digits."},
        "trim": _described(_FLAG, "Whether spaces around texts are removed."),
        "labels": _described(_FLAG, "Whether codes become the labels that a file of Stata or SPSS has for them."),
    }
    return _table(keys, required=("path",))


def _column(recipes: Mapping[str, type[Any]]) -> JsonSchema:
    keys = {
        "role": {"enum": [role.value for role in Role.to_declare()], "description": "What the column is in a release."},
        "domain": _described(_domain(), "Every value the column may take; taken from the data if not given."),
        "hierarchy": _described(_hierarchy(recipes), "How values become coarser: a CSV file, or how to make it."),
        "missing": _described(
            {"anyOf": [_FLAG, _VALUES]},
            "Whether values may be missing, or what stands for such a value in this column.",
        ),
        "dates": _described(
            {"anyOf": [_TEXT, _VALUES]}, "How days are written, such as %d.%m.%Y; the first that fits."
        ),
        "labels": _described(_FLAG, "Whether its codes become the labels that the file has for them."),
        "unlinkable": _described(_FLAG, "Affirms that nobody outside can know whose values an insensitive column has."),
        "pseudonym": _described(
            {"enum": [True, False, *(kind.value for kind in Pseudonyms)]},
            "Publish a pseudonym of an identifier, made with a secret key: another one for each release (true), or the "
            "same in all that share the key (linked).",
        ),
        "top": _described({"type": "number"}, "Larger numbers count as this one."),
        "bottom": _described({"type": "number"}, "Smaller numbers count as this one."),
        "round": _described({"type": "number"}, "Numbers count as the nearest multiple of this one."),
    }
    return _table(keys, required=("role",))


def _domain() -> JsonSchema:
    origins = {
        "observed": _described(_FLAG, "Taken from the data."),
        "confirmed": _described(_FLAG, "Taken from the data, and confirmed by its owner with `shoal declare`."),
    }
    bound = {"type": ["number", "string"]}
    numbers = {"from": bound, "to": bound, "step": bound}
    return {
        "anyOf": [
            _VALUES,
            _table({"values": _VALUES, "ordered": _FLAG, **origins}, required=("values",)),
            _table({"digits": {**_WHOLE, "minimum": 1, "maximum": 6}, **origins}, required=("digits",)),
            _table({**numbers, **origins}, required=("from", "to")),
            _table(origins),
        ]
    }


def _hierarchy(recipes: Mapping[str, type[Any]]) -> JsonSchema:
    """A file, or one of Shoal's own ways to make a hierarchy as `parse_column` reads them, or one that was brought."""
    makers: dict[str, JsonSchema] = {
        "intervals": {"type": "array", "items": _NUMBER},
        "prefixes": {"anyOf": [{"const": True}, {"type": "array", "items": _WHOLE}]},
        "dates": {"type": "array", "items": {"enum": ["month", "quarter", "year", "decade"]}},
        "ordering": _VALUES,
        "balanced": _WHOLE,
        "tree": {"$ref": "#/definitions/tree"},
        "edges": _TEXT,
        "flat": {"const": True},
        "standard": {"enum": list(catalog())},
    }
    extras: dict[str, dict[str, JsonSchema]] = {
        "intervals": {"origin": _NUMBER},
        "ordering": {"fanout": _WHOLE},
        "standard": {"level": _TEXT, "dots": _FLAG},
    }
    for name, kind in recipes.items():
        makers.setdefault(name, {"anyOf": [{"const": True}, _described(_parameters(kind), summary(kind))]})
    tables = [_table({name: schema, **extras.get(name, {})}, required=(name,)) for name, schema in makers.items()]
    return {"anyOf": [_TEXT, *tables]}


def _budget() -> JsonSchema:
    limit = _table(
        {
            "epsilon": _NUMBER,
            "delta": _NUMBER,
            "neighbors": {"enum": list(KINDS)},
            "protected": {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
            "unit": {"enum": [unit.value for unit in Unit]},
        },
        required=("epsilon",),
    )
    return _table(
        {
            "limit": _described(limit, "The most that all releases of this dataset may spend together."),
            "ledger": _described(_TEXT, "The folder of the ledger."),
            "dataset": _described(_TEXT, "A name: the dataset stays the same one when its values change."),
        }
    )


def _output() -> JsonSchema:
    return _table(
        {
            "path": _described(_TEXT, "The folder of the release."),
            "format": {"enum": list(FORMATS)},
            "groups": _described(_FLAG, "Whether the distinct published records are written too, with their counts."),
            "spreadsheet_safe": _described(
                _FLAG, "Whether texts of a CSV file that a spreadsheet program could run get an apostrophe."
            ),
            "metadata": _described(
                {"type": "array", "items": {"enum": list(METADATA)}, "uniqueItems": True},
                "Descriptions for other programs that go with the release: Frictionless Data Package, CSV on the Web, "
                "provenance.",
            ),
            "examples": _described(
                _FLAG, "Whether the owner's report shows ten records of the original and what became of them."
            ),
            "table": _described(_TEXT, "A new table of the database that the records go to instead of a file."),
        }
    )


def _method(name: str, kind: type[Any], models: Mapping[str, type[Any]]) -> JsonSchema:
    """The table of a method: its own parameters, and those that belong to its quality model."""
    table = _named(name, kind)
    keys = table["properties"]
    if "quality" not in keys:
        return table
    of_models = {model: _borrowed(models[model], keys) for model in models}
    every = {key: schema for borrowed in of_models.values() for key, schema in borrowed.items()}
    asked = [
        _with_quality(model, models[model], {key: of_models[model].get(key, False) for key in every})
        for model in models
    ]
    descriptions = {key: _described({}, schema.get("description", "")) for key, schema in every.items()}
    table["properties"] = {**keys, **descriptions}
    return table | {"allOf": asked}


def _borrowed(model: type[Any], own: Collection[str]) -> dict[str, JsonSchema]:
    """The parameters of a quality model that stand beside those of the method."""
    return {p.name: _parameter(p) for p in listed_parameters(model) if p.name not in own}


def _with_quality(name: str, model: type[Any], borrowed: Mapping[str, JsonSchema | bool]) -> JsonSchema:
    """What a quality model asks for, and what has no meaning for it. Without a word about it, it is the loss."""
    chosen: JsonSchema = {"properties": {"quality": {"const": name}}}
    required = [parameter.name for parameter in listed_parameters(model) if parameter.is_required]
    return {
        "if": chosen if name == "loss" else {**chosen, "required": ["quality"]},
        "then": {"properties": dict(borrowed), "required": [key for key in required if key in borrowed]},
    }


def _named(name: str, kind: type[Any]) -> JsonSchema:
    """A table with a name and the parameters of a class."""
    return {"title": name, **_described(_parameters(kind, {"name": {"const": name}}), summary(kind))}


def _parameters(kind: type[Any], before: Mapping[str, JsonSchema] | None = None) -> JsonSchema:
    """A table with the parameters of a class, after some other keys that are needed."""
    parameters, before = listed_parameters(kind), before or {}
    keys = {**before, **{parameter.name: _parameter(parameter) for parameter in parameters}}
    return _table(keys, (*before, *(parameter.name for parameter in parameters if parameter.is_required)))


def _parameter(parameter: Parameter) -> JsonSchema:
    tables: dict[Any, JsonSchema] = {
        QualityModel: {"allOf": [{"$ref": "#/definitions/quality"}]},  # beside a bare $ref no description counts
        Criterion: {"$ref": "#/definitions/criterion"},
        Method: {"allOf": [{"$ref": "#/definitions/method"}]},
        ClassBounds: {"$ref": "#/definitions/bounds"},
    }
    schema = _described(schema_of(parameter.declared, tables), parameter.meaning)
    default = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    return schema | {"default": default} if isinstance(default, str | int | float) else schema


def _one_of(tables: Mapping[str, JsonSchema]) -> JsonSchema:
    """One of several named tables. The names stand by themselves too, so that a wrong one is what is complained of."""
    return {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"enum": list(tables)}},
        "oneOf": list(tables.values()),
    }


def _table(keys: Mapping[str, JsonSchema], required: Iterable[str] = ()) -> JsonSchema:
    """A table with these keys and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": dict(keys), **needed, "additionalProperties": False}


def _described(schema: JsonSchema, meaning: str) -> JsonSchema:
    return {**schema, "description": meaning} if meaning else schema
