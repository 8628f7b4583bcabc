"""Records counted by their weights: what a release says about the population that its records stand for."""

from __future__ import annotations

from dataclasses import replace

from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.errors import SchemaError


def counted_records(outcome: Outcome, *, weighted: bool) -> tuple[Counts, Counts]:
    """The original and the release, each record counted once or, if `weighted`, as often as its weight says.

    Weights are in units, of which only shares and ratios mean something. The rows are the same in both cases.
    """
    if not weighted:
        return outcome.table.counts, outcome.published
    before, after = outcome.table.survey_weights, outcome.published_weights()
    if before is None or after is None:
        raise SchemaError(
            "no weights are known of these records, so that they cannot be counted by them; name the column of weights "
            "in weight, or count records."
        )
    return replace(outcome.table.counts, sizes=before.of_record), replace(outcome.published, sizes=after.of_record)
