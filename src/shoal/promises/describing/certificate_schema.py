"""The certificate as a JSON Schema, for whoever reads `certificate.json` with a program.

`shoal check` does more: it derives again what the certificate says. The schema speaks of shape alone.
"""

from __future__ import annotations

from typing import Any

from shoal.data.schema import Role
from shoal.data.unit import Unit
from shoal.promises.certificate_json import NUMBER_SAID
from shoal.promises.guarantee import Basis

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_NUMBER = {"type": "string", "pattern": f"^{NUMBER_SAID.pattern}$"}
_COUNT = {"type": "integer", "minimum": 0}


def certificate_schema() -> dict[str, Any]:
    """The JSON Schema of certificates of format 1."""
    required = {
        "format": {"const": 1, "description": "Of the certificate."},
        "shoal": _said(_TEXT, "The version of Shoal that made the release."),
        "method": _table(
            {
                "name": _said(_TEXT, "As release files call it."),
                "parameters": _said({"type": "object"}, "As they were given, with defaults that were not."),
            }
        ),
        "guarantees": _said({"type": "array", "items": _guarantee()}, "What is promised, and on what basis."),
        "criteria": _said(
            {"type": "array", "items": _open({"name": _TEXT})},
            "What can be checked again from the published table: name, parameters, and the value reached.",
        ),
        "columns": _said(
            {
                "type": "array",
                "items": _open({"name": _TEXT, "role": {"enum": [role.value for role in Role]}}),
            },
            "The published columns, in their order: what they are, and how they were recoded.",
        ),
        "records": _said(_COUNT, "How many are published."),
    }
    optional = {
        "reading": _said(_TEXT, "How published values are to be read."),
        "findings": _said(_TEXTS, "What audits found out about the release."),
        "seeded": {"type": "boolean", "description": "Whether it was a test run, which promises nothing."},
        "unit": {"enum": [unit.value for unit in Unit], "description": "Whom promises are about."},
        "max_records": {"anyOf": [_COUNT, {"type": "null"}], "description": "Of each of them, at most, if drawn."},
        "spreadsheet_safe": {"type": "boolean", "description": "Whether an apostrophe stands before formulas."},
        "release": _table({}, dict.fromkeys(("title", "owner", "contact"), _TEXT)),
        "date": {"type": "string", "format": "date", "description": "The day on which it was made."},
        "files": _said(
            {"type": "object", "additionalProperties": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}},
            "The digest of every other file of the release.",
        ),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Certificate of a release made by Shoal",
        **_table(required, optional),
    }


def _guarantee() -> dict[str, Any]:
    return _table(
        {
            "statement": _said(_TEXT, "The promise, in a sentence."),
            "basis": {"enum": [basis.value for basis in Basis], "description": "Why it may be believed."},
            "neighbors": {
                "anyOf": [_TEXT, {"type": "null"}],
                "description": "The neighboring relation, of a promise of differential privacy.",
            },
            "assumptions": _said(_TEXTS, "What it takes for granted."),
        },
        {
            "epsilon": _said(_NUMBER, "Exact, or rounded up; a text, so that no reader rounds it."),
            "delta": _NUMBER,
            "protected": _said(_TEXTS, "The columns that it is about, if not about whole records."),
            "max_records": _COUNT,
        },
    )


def _table(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": False,
    }


def _open(required: dict[str, Any]) -> dict[str, Any]:
    """A table that may say more."""
    return {"type": "object", "properties": required, "required": list(required)}


def _said(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}
