"""What a release file asks for, before anything is run: by what is declared alone, except what the ledger remembers."""

from __future__ import annotations

import re
from dataclasses import MISSING, asdict
from pathlib import Path
from typing import Any

from shoal.data.schema import Role
from shoal.dp.accounting.cost import PrivacyCost, shown
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.ledger.account import Account, Unbounded
from shoal.dp.ledger.store import LedgerStore
from shoal.errors import ShoalError
from shoal.files.remains import data_folder
from shoal.methods.base import Publishes
from shoal.methods.parts.declared import is_paid
from shoal.methods.parts.pricing import priced
from shoal.parameters.lists import listed_parameters, summary
from shoal.plan.declaring import declare, named, taken_from_data
from shoal.plan.expecting import expected
from shoal.plan.expecting.parts import expected_parts
from shoal.plan.json_schema import release_schema
from shoal.plan.method import METHODS, parameters_of
from shoal.plan.plan import Plan
from shoal.progress import Progress
from shoal.running.dry_run import promised_unread
from shoal.serve.work.looking import RELEASE_FILE


def methods(*, progress: Progress) -> dict[str, Any]:
    """Every method with its parameters, as the one reader of parameters declares them."""
    del progress
    schema = release_schema()
    tables = {one["properties"]["name"]["const"]: one for one in _method_tables(schema)}
    return {name: _method(name, tables.get(name, {}), schema["definitions"]) for name in METHODS}


def _method_tables(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The table of each method in the JSON Schema of release files."""
    found: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            name = node.get("properties", {}).get("name", {}) if isinstance(node.get("properties"), dict) else {}
            if isinstance(name, dict) and name.get("const") in METHODS:
                found.append(node)
            else:
                for below in node.values():
                    walk(below)
        elif isinstance(node, list):
            for below in node:
                walk(below)

    walk(schema["definitions"]["method"])
    return found


def _method(name: str, table: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    properties = table.get("properties", {})
    kind = METHODS[name]
    own = {one.name: one for one in listed_parameters(kind)}
    fields = []
    for key in parameters_of(name):
        parameter = own.get(key)
        fields.append(
            {
                "name": key,
                "schema": _resolved(properties.get(key, {}), definitions),
                "is_required": parameter is not None and parameter.is_required,
                "default": _plain(parameter.default) if parameter is not None else None,
                "meaning": parameter.meaning
                if parameter is not None
                else properties.get(key, {}).get("description", ""),
            }
        )
    spends = kind.cost is not Publishes.cost
    return {"name": name, "summary": summary(kind), "fields": fields, "spends": spends}


def _resolved(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A schema with what it refers to in its place."""
    found = {key: value for key, value in schema.items() if key != "allOf"}
    for part in schema.get("allOf", []):
        found |= definitions.get(part.get("$ref", "").rpartition("/")[2], {})
    return found


def _plain(value: Any) -> Any:
    if value is MISSING or value is None or isinstance(value, bool | int | float | str):
        return None if value is MISSING else value
    return getattr(value, "value", None) or getattr(type(value), "name", None)


def check(folder: str, records: int | None = None, *, progress: Progress) -> dict[str, Any]:
    """Whether the release file can be run, what it promises and costs, and what is left of the budget."""
    del progress
    path = Path(folder) / RELEASE_FILE
    try:
        plan = Plan.load(path)
    except ShoalError as error:
        return {"problem": _problem(error, folder)}
    answer: dict[str, Any] = {
        "method": plan.method.name,
        "is_paid": is_paid(plan.method),
        "taken": [(one.name, one.what) for one in taken_from_data(path)],
        "quasi": list(plan.schema.names(Role.QUASI_IDENTIFIER)),
    }
    cost = None
    try:
        plan.require_sense(path)
        made = priced(plan.schema, plan.method)
        answer |= {"facts": _facts(made.facts()), "needs": plan.method.needs, "promised": promised_unread(plan)}
        cost = made.cost
        known = (
            records if cost is not None and cost.neighbors is Neighbors.REPLACE else None
        )  # else it is nobody's to know
        answer["expected"] = [asdict(one) for one in expected_parts(made.inner, plan.schema, known)]
        if cost is not None:
            told = expected(plan.schema, plan.method, known)
            answer |= {"cost": _cost(cost), "warnings": told.warnings, "better": told.better}
    except ShoalError as error:
        answer["problem"] = _problem(error, folder)
    if answer["is_paid"]:
        answer |= _budget(plan, cost)
    return answer


def confirm(folder: str, columns: list[str], *, progress: Progress) -> str:
    """Write that the values of these columns are public knowledge, as `shoal declare` does; the release file then."""
    del progress
    path = Path(folder) / RELEASE_FILE
    declare(path, named(taken_from_data(path), columns, path))
    return path.read_text(encoding="utf-8")


def _problem(error: ShoalError, folder: str) -> dict[str, str | None]:
    """What is wrong, and the column or part of the file that it is about."""
    sentence = str(error).replace(f"{folder}/", "").removeprefix(f"{RELEASE_FILE}: ").removeprefix(f"{RELEASE_FILE}, ")
    column = re.match(r"\[columns\.(.+?)\]", sentence) or re.match(r"(?:column )?'(.+?)'", sentence)
    part = re.match(r"\[(\w+)\]", sentence)
    return {
        "message": re.sub(r"^\[[^\]]*\]:? ?", "", sentence),
        "column": column[1] if column else None,
        "part": part[1] if part else None,
    }


def _facts(facts: dict[str, Any]) -> list[tuple[str, int | float | str]]:
    return [(name, value) for name, value in facts.items() if isinstance(value, int | float | str)]


def _cost(cost: PrivacyCost) -> dict[str, str]:
    return {"epsilon": shown(cost.epsilon), "delta": shown(cost.delta), "words": str(cost)}


def _budget(plan: Plan, cost: PrivacyCost | None) -> dict[str, Any]:
    """What the ledger knows of this table, found again by its content."""
    try:
        books = LedgerStore(plan.budget.ledger or data_folder())
        account: Account = books.account(plan.data.dataset(plan.budget.dataset))
    except (ShoalError, OSError) as error:
        return {"ledger": {"why_not": str(error) if isinstance(error, ShoalError) else type(error).__name__}}
    limits = []
    for limit in dict.fromkeys([*account.binding, *([plan.budget.limit] if plan.budget.limit is not None else [])]):
        left = account.left(limit)
        limits.append(
            {
                "limit": _cost(limit),
                "left": None if isinstance(left, Unbounded) else _left(left),
                "after": None if isinstance(left, Unbounded) or cost is None else _after(left, cost),
            }
        )
    return {
        "ledger": {
            "releases": len(account.spendings),
            "spent": [str(total) for total in account.totals()],
            "limits": limits,
        }
    }


def _left(cost: PrivacyCost) -> dict[str, str]:
    return {"epsilon": shown(cost.epsilon, down=True), "delta": shown(cost.delta, down=True)}


def _after(left: PrivacyCost, cost: PrivacyCost) -> dict[str, str] | None:
    """What is left after a release, by adding up, which tells at least; None where it does not fit any more."""
    if left.relation != cost.relation or cost.epsilon > left.epsilon or cost.delta > left.delta:
        return None
    rest = {"epsilon": left.epsilon - cost.epsilon, "delta": left.delta - cost.delta}
    return {name: shown(value, down=True) for name, value in rest.items()}
