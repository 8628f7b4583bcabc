"""The one reader of parameters: what a user gives becomes the type that its class declares, or is refused.

Every class that takes parameters calls `read_parameters(self)` first thing in its `__post_init__`, and the release file
reads by the same types (`read_parameter`), so that a parameter means the same wherever it is written:

- a word that names a member of an enum becomes the member: `mode="rigorous"` is `mode=Mode.RIGOROUS`;
- NumPy's numbers and texts become Python's, lists become tuples, mappings frozen copies, so that what holds them can be
  compared, hashed and trusted to stay as it is;
- a truth value is no number, a text is one only where the declared type admits it (`Number`), and no number is infinite
  or NaN;
- where a quality model, a criterion or a method belongs, its class or its name is not one.

Whatever else comes is refused in one sentence. Python compares a word with a member of an enum without complaint, so a
class that trusts what it gets would take the wrong branch and promise what it never did.
"""

from shoal.parameters.frozen_table import FrozenTable
from shoal.parameters.numbers import Count, Diversity, Number, Seed, exact, plain
from shoal.parameters.reading import read_as, read_parameter, read_parameters
from shoal.parameters.words import AtLeast

__all__ = [
    "AtLeast",
    "Count",
    "Diversity",
    "FrozenTable",
    "Number",
    "Seed",
    "exact",
    "plain",
    "read_as",
    "read_parameter",
    "read_parameters",
]
