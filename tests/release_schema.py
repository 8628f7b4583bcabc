"""What the JSON Schema of release files has to say about one."""

import datetime as dt
from functools import cache

from jsonschema import Draft7Validator

from shoal.plan.columns import RECIPES
from shoal.plan.json_schema import release_schema
from shoal.plan.method import METHODS


def complaints(content):
    """Why the content of a release file is not valid; nothing if it is."""
    return [error.message for error in _validator(tuple(METHODS), tuple(RECIPES)).iter_errors(_as_json(content))]


@cache
def _validator(methods, recipes):
    """One for the methods that there are."""
    del methods, recipes
    return Draft7Validator(release_schema())


def _as_json(value):
    """As editors hand TOML to a validator: days are texts."""
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    return value.isoformat() if isinstance(value, dt.date | dt.time) else value
