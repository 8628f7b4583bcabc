"""What can be chosen about NSVDist."""

from __future__ import annotations

from enum import Enum


class Output(Enum):
    """What is published instead of a sensitive value."""

    DISTRIBUTION = "distribution"
    """A distribution, as JSON."""
    COLUMNS = "columns"
    """A distribution, as one column for each sensitive value."""
    RECORDS = "records"
    """Concrete records drawn from the distributions (§5.1)."""


class Measure(Enum):
    """What Algorithm 1 makes small."""

    LOSS = "loss"
    """LM, Eq. 2."""
    ENTROPY = "entropy"
    """Which looks at every record for every pick."""


class Ties(Enum):
    """Which of several equally good records Algorithm 1 takes."""

    FIRST = "first"
    LEAST_USED = "least-used"
