"""The people of a population, in the codes of a table that was drawn from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.engines.base import Engine
from shoal.engines.codes.coding import Coder
from shoal.engines.codes.encoding import distinct_codes
from shoal.errors import DataError, SchemaError, listed, nearest
from shoal.kernels import grouping
from shoal.progress import Progress, silent


def with_population(table: EncodedTable, engine: Engine, progress: Progress = silent) -> EncodedTable:
    """The table with the people of its population by their quasi-identifiers; other columns of theirs are not read.

    Args:
        table: What was drawn from the population.
        engine: Hands over the population, one record for each person.
        progress: Is told how far reading is.
    """
    quasi, present = table.quasi_identifiers, engine.types()
    absent = [attribute.name for attribute in quasi if attribute.name not in present]
    if absent:
        raise SchemaError(
            f"the population {engine.where} has no column {listed(absent)}, by which the release knows people; it has "
            f"{listed(present, 12)}.{nearest(absent[0], list(present))}"
        )
    coders = [Coder(a.name, a.domain, engine.missing, clamps=a.is_coded, floor=a.counted_leaves) for a in quasi]
    try:
        codes, sizes = distinct_codes(engine, coders, {}, progress)
    except DataError as error:
        raise DataError(f"the population {engine.where} does not fit the domains of the table: {error}") from None
    names = tuple(attribute.name for attribute in quasi)
    population = Counts(names, tuple(codes), tuple(attribute.domain.size for attribute in quasi), sizes)
    _require_drawn(table, population, engine.where)
    return replace(table, population=population)


def _require_drawn(table: EncodedTable, population: Counts, where: str) -> None:
    """Everybody of the table must be in the population: then so it is in coarser classes."""
    records = len(table.counts)
    columns = [np.concatenate([table.counts.column(name), population.column(name)]) for name in population.names]
    labels, groups = grouping.group(columns, population.cardinalities, records + len(population))
    here = (
        grouping.totals(labels[:records], groups, table.counts.sizes)
        if table.persons is None
        else table.persons.heads(labels[:records], groups)
    )
    short = here > grouping.totals(labels[records:], groups, population.sizes)
    if short.any():
        raise DataError(
            f"in {int(short.sum()):,} of {int((here > 0).sum()):,} combinations of quasi-identifiers the population "
            f"{where} has fewer people than the table, which was not drawn from it; give the population, with "
            "everybody of the table in it."
        )
