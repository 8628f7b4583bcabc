"""A criterion in one file."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.parameters import Count, read_parameters


@dataclass(frozen=True)
class AtMost:
    """No class has more than so many records."""

    name: ClassVar[str] = "at-most"

    records: Count

    def __post_init__(self):
        """Read what was given."""
        read_parameters(self)

    @property
    def statement(self):
        """The promise."""
        return f"no more than {self.records} records share their quasi-identifiers"

    @property
    def is_relative(self):
        """A class is judged by itself."""
        return False

    def check(self, table):
        """It has a meaning for every table."""

    def measure(self, classes, published):
        """The size of each class."""
        del published
        return classes.sizes.astype(float)

    def violations(self, classes, published):
        """Classes that are too large."""
        del published
        return classes.sizes > self.records

    def worst(self, measured):
        """The largest class."""
        return float(measured.max())

    def implied(self):
        """Nothing of it survives growth."""
        return
