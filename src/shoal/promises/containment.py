"""Containment: to the outside, a paid run that fails is one that found nothing to publish.

Whether a run fails may depend on single records, so an error, its text and its exit code would be an output that no
budget pays for. Once a run is paid for, only what is decided without the records is refused; whatever else goes wrong
ends in the release of no records, and the owner's report alone says so. What this proves, and what it does not:
`docs/proofs/process.md`.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import ShoalError
from shoal.methods import Method

if TYPE_CHECKING:
    from shoal.dp.ledger.ledger import Ledger


def is_refusal_of_table(error: Exception, method: Method) -> bool:
    """Whether the error, met while the table was read, may be told: only if it is about columns nobody protects.

    Where all columns are covered, every sentence about a record is about what is protected.
    """
    return isinstance(error, ShoalError) and method.covers != "all"


def is_refusal_of_request(error: Exception, ledger: Ledger) -> bool:
    """Whether the error, met while the method decided, may be told: methods refuse by what is public, then open."""
    return isinstance(error, ShoalError) and not ledger.is_open


def described(error: BaseException) -> str:
    """What went wrong and where, for the owner: Shoal's own sentences, which show no value, or the kind of error."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"
    return f"{where}: {error}" if isinstance(error, ShoalError) else where
