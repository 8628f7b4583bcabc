"""The weights of a survey, read exactly, or refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Codes, Keys, Mask, Sizes
from shoal.data.encoded import EncodedTable
from shoal.data.people.survey_weights import SurveyWeights, in_units, plain_in_units
from shoal.data.schema import Schema
from shoal.engines.bridge import to_numpy
from shoal.errors import DataError
from shoal.kernels import grouping

if TYPE_CHECKING:
    import pyarrow as pa

_LONGEST = 40
"""Characters of a number that is a weight."""
_PARTS, _MOST = 1000, 10**15
"""Weights lie between a thousandth and this, and so does their sum: in units of any size they fit into 64 bits."""
_PLAIN = r"^(?P<whole>[0-9]{1,15})(?:\.(?P<behind>[0-9]{0,15}))?$"
"""How nearly all weights are written; others are read one by one."""


def read_weights(
    table: EncodedTable,
    codes: Codes,
    texts: pa.Array,
    labels: Keys,
    whose: Keys | None,
    sizes: Sizes,
    schema: Schema,
) -> EncodedTable:
    """The table with the weights of its records, and one weight for each person.

    Args:
        table: The distinct records, and who has them.
        codes: The weight of each part of them: 0 if it is missing, else its place in `texts`, counted from 1.
        texts: The weights that occur.
        labels: The distinct record of each part.
        whose: The person of each part, if persons are told apart.
        sizes: How many rows each part stands for.
        schema: Says which column the weights are.
    """
    where = f"column {schema.weight!r} says how many of the population a record stands for, and"
    missing = int(sizes[codes == 0].sum())
    if missing:
        raise DataError(
            f"{where} it is missing in {missing:,} of {int(sizes.sum()):,} records; fill it in, or leave such records "
            "out."
        )
    rows = np.bincount(codes, weights=sizes, minlength=len(texts) + 1)[1:].astype(np.int64)
    read = _numbers(texts, rows)
    if read.unread.any():
        raise DataError(
            f"{where} {int(rows[read.unread].sum()):,} of its values are no numbers; write numbers above 0, such as "
            "1250.5."
        )
    if read.low.any():
        raise DataError(
            f"{where} {int(rows[read.low].sum()):,} of its values are zero or negative, or below 0.001; a record "
            "stands for itself at least: mend the weights, or leave such records out."
        )
    if read.high.any():
        raise DataError(
            f"{where} {int(rows[read.high].sum()):,} of its values are above 10^15, which no population is; mend them."
        )
    units, scale = read.in_units()
    if float(units.astype(np.float64) @ rows) / scale > _MOST:
        raise DataError(f"{where} they add up to more than 10^15 people, which no population is; mend them.")
    each = units[codes.astype(np.int64) - 1]
    of_record = grouping.totals(labels, len(table.counts), each * sizes)
    weights = SurveyWeights(of_record, None if whose is None else _of_persons(table, each, whose, where), scale)
    weighed = replace(table, survey_weights=weights)
    _require_large(weighed, where)
    return weighed


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Weights, exactly.

    Attributes:
        unread: Which are no numbers.
        low: Which are zero, negative, or too small to be the weight of anybody.
        high: Which are more people than there can be.
        in_units: Makes whole numbers of units of the others, and says how many units are 1.
    """

    unread: Mask
    low: Mask
    high: Mask
    in_units: Callable[[], tuple[Sizes, int]]


def _numbers(texts: pa.Array, rows: Sizes) -> _Numbers:
    """What weights are written, plain ones by Arrow, all at once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = pc.extract_regex(texts, pattern=_PLAIN)
    if parts.null_count:
        return _one_by_one(texts.to_pylist(), rows)
    whole = to_numpy(parts.field("whole").cast(pa.int64()))
    behind = parts.field("behind")
    decimals = int(pc.max(pc.binary_length(behind)).as_py() or 0)
    fraction = to_numpy(pc.utf8_rpad(behind, decimals + 1, "0").cast(pa.int64())) // 10
    return _Numbers(
        np.zeros(len(texts), dtype=np.bool_),
        (whole == 0) & (fraction < 10**decimals / _PARTS),
        whole > _MOST,
        lambda: plain_in_units(whole, fraction, decimals, rows),
    )


def _one_by_one(texts: Sequence[str], rows: Sizes) -> _Numbers:
    numbers = [_number(text) for text in texts]
    return _Numbers(
        np.array([number is None for number in numbers], dtype=np.bool_),
        np.array([number is not None and number * _PARTS < 1 for number in numbers], dtype=np.bool_),
        np.array([number is not None and number > _MOST for number in numbers], dtype=np.bool_),
        lambda: in_units([number for number in numbers if number is not None], rows),
    )


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip()) if len(text) <= _LONGEST else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() and number.adjusted() < _LONGEST else None


def _of_persons(table: EncodedTable, each: Sizes, whose: Keys, where: str) -> Sizes:
    """The weight of each person, which all their rows must agree on."""
    of_person = np.zeros(table.people, dtype=np.int64)
    of_person[whose] = each
    differ = len(np.unique(whose[of_person[whose] != each]))
    if differ:
        unit = table.unit
        raise DataError(
            f"{where} {differ:,} of {table.people:,} {unit.plural} have different ones; give each {unit.value} one "
            "weight."
        )
    return of_person


def _require_large(table: EncodedTable, where: str) -> None:
    """Refuse a population that has fewer people of some kind than the table has: coarser classes then have enough."""
    weights, quasi = table.survey_weights, [attribute.name for attribute in table.quasi_identifiers]
    assert weights is not None
    if not quasi or not len(table.counts):
        return
    labels, groups = table.counts.group(quasi)
    people = weights.of_classes(labels, groups, table.persons)
    sizes = (
        grouping.totals(labels, groups, table.counts.sizes)
        if table.persons is None
        else table.persons.heads(labels, groups)
    )
    short = int((people < sizes * weights.scale).sum())
    if short:
        raise DataError(
            f"{where} in {short:,} of {groups:,} combinations of quasi-identifiers they add up to fewer people than "
            "the table has; weights count people of the population: multiply those that were scaled to a mean of 1."
        )
