"""What the counts of marginals are off by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.methods.marginals.advice import expected_worth
from shoal.parameters import exact
from shoal.plan.expecting.expectation import Expectation

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable


def expected_of_marginals(method: Any, table: EncodedTable, records: int | None) -> Expectation:
    """What the method itself says of ε, so many records and columns; a warning where that is nothing."""
    if records is None:
        return Expectation(said=("Say about how many records there are, and more can be told.",))
    epsilon, columns = float(exact(method.epsilon)), len(table.attributes)
    sentence = expected_worth(epsilon, records, columns)
    worth = {"records for each column": epsilon * records / max(columns, 1)}
    said = sentence[:1].upper() + sentence[1:]
    if "nothing of use" in sentence:
        return Expectation(warnings=(said,), figures=worth)
    return Expectation(said=(said,), figures=worth)
