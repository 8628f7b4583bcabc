"""A private method tried on records that nobody has: drawn evenly from the declared domains, so that nothing is paid.

What comes out says how the method works with these columns, and nothing about the table.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.schema import ROW, Schema
from shoal.dp.coins.coins import SeededCoins
from shoal.errors import ParameterError
from shoal.examples.stand_in import drawn_from_domains
from shoal.methods.parts.declared import is_paid
from shoal.pipeline import publish_frame
from shoal.plan.plan import Plan
from shoal.progress import Progress
from shoal.serve.work.looking import RELEASE_FILE

_ROWS = 60


def tried(folder: str, records: int, *, progress: Progress) -> dict[str, Any]:
    """Run the method on a stand-in with so many records; the first rows before and after."""
    path = Path(folder) / RELEASE_FILE
    plan = Plan.load(path)
    plan.require_sense(path)
    if not is_paid(plan.method):
        raise ParameterError(f"{plan.method.name} costs no budget: run it on the table itself.")
    counted = plan.method.counted(plan.schema)
    schema = Schema(tuple(column for column in plan.schema if column.name in counted), person=ROW)
    frame = drawn_from_domains(schema, counted, records, np.random.default_rng(0))
    release = publish_frame(frame, schema, plan.method, progress, coins=SeededCoins(0))
    return {
        "records": records,
        "published": release.certificate.records,
        "before": _rows(frame),
        "after": _rows(release.data),
        "columns": [dict(column) for column in release.facts.columns],
    }


def _rows(table: Any) -> dict[str, Any]:
    rows = table.slice(0, _ROWS).to_pylist()
    return {"names": table.column_names, "rows": [["" if c is None else str(c)[:80] for c in r.values()] for r in rows]}
