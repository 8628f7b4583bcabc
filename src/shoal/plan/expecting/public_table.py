"""The table as a method is given it, without its records, from what is declared alone."""

from __future__ import annotations

from dataclasses import replace

from shoal.data.attribute import Attribute, declared, settle
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Schema
from shoal.methods.base import Method


def public_table(schema: Schema, method: Method) -> EncodedTable | None:
    """Its columns and their domains; None if one of the columns that the method counts has none declared.

    What is covered by a private method has a place for missing values, as in `encode`.
    """
    counted, attributes = method.counted(schema), []
    for name in counted:
        domain = declared(schema[name], ())
        if domain is None:
            return None
        is_covered = method.covers == "all" or name in method.covers
        attribute = settle(schema[name], domain.with_missing() if is_covered else domain)
        absorbs = is_covered and domain.missing is None
        settled = replace(attribute, absorbs=absorbs, is_covered=is_covered)
        attributes.append(settled.counted_at(method.floors.get(name, 0)))
    nobody = Counts.empty(counted, [attribute.domain.size for attribute in attributes])
    table = EncodedTable(tuple(attributes), nobody)
    return table.all_quasi_identifiers() if method.covers == "all" else table


def values_of(attribute: Attribute) -> int:
    """How many values a column has, without the place that was made for what its domain does not hold."""
    return attribute.domain.size - attribute.absorbs


def in_units(attribute: Attribute, steps: float) -> str:
    """So many steps of a column of numbers or days, in its own units."""
    domain = attribute.domain
    step = getattr(domain, "step", 1) / 10 ** getattr(domain, "decimals", 0)
    return f"{steps * step:,.3g}"
