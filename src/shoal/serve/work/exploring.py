"""The lattice of schemes for looking around: what each loses and leaves out, and what it makes of the first rows.

Only for methods without a price. Of a private method nothing is shown but what was paid for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from shoal.data.outcome import Outcome
from shoal.engines.base import Engine
from shoal.engines.reading.source import TableSource, open_source
from shoal.engines.writing.publishing import recode
from shoal.errors import ParameterError
from shoal.methods.full_domain.request import FullDomainRequest
from shoal.methods.parts.declared import is_paid
from shoal.pipeline import encoded
from shoal.plan.plan import Plan
from shoal.progress import Progress, silent
from shoal.search.evaluator import Evaluator
from shoal.search.scores import scored
from shoal.serve.work.blocks import block, cell, taken
from shoal.serve.work.looking import RELEASE_FILE

MOST_SCHEMES = 20_000
MOST_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class _Open:
    """A table ready to be looked at, kept until another release file comes."""

    text: str
    plan: Plan
    request: FullDomainRequest
    engine: Engine
    evaluator: Evaluator


_OPEN: dict[str, _Open] = {}


def lattice(folder: str, *, progress: Progress) -> dict[str, Any]:
    """Every scheme, or as many as a picture and some patience can hold."""
    opened = _opened(folder, progress)
    evaluator = opened.evaluator
    found = scored(evaluator, most=MOST_SCHEMES, seconds=MOST_SECONDS, progress=progress)
    total = max(evaluator.table.total, 1)
    return {
        "columns": [attribute.name for attribute in evaluator.table.quasi_identifiers],
        "heights": list(evaluator.lattice.heights),
        "levels": [_level_names(attribute) for attribute in evaluator.table.quasi_identifiers],
        "nodes": [list(node) for node in found.nodes],
        "losses": [round(float(loss), 6) if isfinite(loss) else None for loss in found.losses],
        "suppressed": [round(records / total, 6) for records in found.suppressed],
        "limit": evaluator.allowed / total,
        "of": found.of,
        "quality": opened.request.quality.name if hasattr(opened.request.quality, "name") else "loss",
    }


def scheme(folder: str, node: list[int], start: int, *, progress: Progress = silent) -> dict[str, Any]:
    """One scheme: what it loses and leaves out, and some rows before and after."""
    opened = _opened(folder, progress)
    evaluator = replace(opened.evaluator, allowed=opened.evaluator.table.total - 1)
    loss, suppressed = evaluator.price(tuple(node), evaluator.classes)
    total = max(evaluator.table.total, 1)
    if not isfinite(loss) or suppressed >= total:  # nothing would be left
        return {
            "node": list(node),
            "loss": None,
            "suppressed": total,
            "share": 1.0,
            "is_safe": False,
            "classes": 0,
            "rows": None,
        }
    outcome = opened.request.decide(evaluator, tuple(node), {})
    return {
        "node": list(node),
        "loss": float(loss),
        "suppressed": suppressed,
        "share": suppressed / total,
        "is_safe": suppressed <= opened.evaluator.allowed,
        "classes": 0 if outcome.classes is None or outcome.suppressed is None else int((~outcome.suppressed).sum()),
        "rows": _before_and_after(opened, outcome, start),
    }


def published_rows(file: str, start: int, *, progress: Progress) -> dict[str, Any]:
    """Some rows of a published file."""
    del progress
    source = open_source(Path(file))
    return block(source, list(source.types()), start)


def _opened(folder: str, progress: Progress) -> _Open:
    path = Path(folder) / RELEASE_FILE
    text = path.read_text(encoding="utf-8")
    if folder in _OPEN and _OPEN[folder].text == text:
        return _OPEN[folder]
    plan = Plan.load(path)
    plan.require_sense(path)
    if is_paid(plan.method) or not isinstance(plan.method, FullDomainRequest):
        raise ParameterError(
            f"{plan.method.name} does not choose among schemes that can be looked at for free; choose optimal-lattice "
            "or ola to explore."
        )
    engine = plan.data.engine()
    table = encoded(engine, plan.schema, plan.method, progress)
    _OPEN.clear()
    _OPEN[folder] = _Open(text, plan, plan.method, engine, plan.method.evaluator(table))
    return _OPEN[folder]


def _level_names(attribute: Any) -> list[str]:
    """What a value looks like at each level: the first that a level has."""
    return [attribute.labels(level.nodes[:1])[0] for level in attribute.hierarchy.levels]


def _before_and_after(opened: _Open, outcome: Outcome, start: int) -> dict[str, Any]:
    """Some rows of the original, and what a scheme publishes for each; nothing for those it leaves out."""
    engine, schema = opened.engine, opened.plan.schema
    assert outcome.recoding is not None
    shown = [column.name for column in schema if column.role.is_published and column.name in engine.types()]
    found = taken(engine.batches(shown), start)
    if found is None:
        return {"names": shown, "start": start, "before": [], "after": []}
    after = recode(TableSource(found), outcome.table, outcome.recoding, engine.missing)
    quasi = [attribute.name for attribute in outcome.table.quasi_identifiers]
    published = {tuple(row.values()) for row in engine.groups(schema, outcome).select(quasi).to_pylist()}
    before_rows = [[cell(row[name]) for name in shown] for row in found.to_pylist()]
    after_rows = []
    for row in after.to_pylist():
        stays = tuple(row[name] for name in quasi) in published
        after_rows.append([cell(row[name]) for name in shown] if stays else None)
    return {"names": shown, "start": start, "before": before_rows, "after": after_rows}
