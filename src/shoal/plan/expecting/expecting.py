"""expected(): what a run is likely to give, whatever the method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shoal.data.encoded import EncodedTable
from shoal.data.schema import Schema
from shoal.methods.base import Method
from shoal.methods.parts.declared import is_paid
from shoal.methods.parts.pricing import priced
from shoal.plan.expecting.expectation import Expectation
from shoal.plan.expecting.public_table import public_table

_COUNTS = "marginals"


def expected(schema: Schema, method: Method, records: int | None = None) -> Expectation:
    """What a run of the method is likely to give: no record is looked at, and nothing is spent.

    Args:
        schema: What is declared about columns.
        method: What is to be run.
        records: About how many records there are, if that is public; `expected_records` of the method if not given.
    """
    records = getattr(method, "expected_records", None) if records is None else records
    inner = priced(schema, method).inner
    table = public_table(schema, method)
    if table is None:
        return Expectation()
    found = _of(inner, table, records)
    if found.warnings and is_paid(method) and method.name != _COUNTS:
        return replace(
            found, better=(*found.better, f"{_COUNTS}, if counts of one to three columns are what is needed.")
        )
    return found


def _of(method: Any, table: EncodedTable, records: int | None) -> Expectation:
    """By the method's name, so that no other one is loaded."""
    match method.name:
        case "safepub":
            from shoal.plan.expecting.safepub import expected_of_safepub

            return expected_of_safepub(method, table, records)
        case "diffgen":
            from shoal.plan.expecting.diffgen import expected_of_diffgen

            return expected_of_diffgen(method, table, records)
        case "microaggregation-dp":
            from shoal.plan.expecting.microaggregation import expected_of_microaggregation

            return expected_of_microaggregation(method, table, records)
        case "k-epsilon":
            from shoal.plan.expecting.k_epsilon import expected_of_k_epsilon

            return expected_of_k_epsilon(method, table)
        case "marginals":
            from shoal.plan.expecting.marginals import expected_of_marginals

            return expected_of_marginals(method, table, records)
    return Expectation()
