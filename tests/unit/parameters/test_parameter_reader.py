"""The reader by itself: each kind of type, and what it makes of what comes."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.parameters import Count, Diversity, FrozenTable, Number, exact, read_as, read_parameters

if TYPE_CHECKING:
    from nowhere import Unknown


@pytest.mark.parametrize(
    ("declared", "given", "expected"),
    [
        (float, 3, 3),
        (float, 2**60, float(2**60)),
        (float, Fraction(1, 2), 0.5),
        (float, Decimal("0.5"), 0.5),
        (Fraction, 2, Fraction(2)),
        (Fraction, Decimal("0.1"), Fraction(1, 10)),
        (Fraction | int, 2, 2),
        (Decimal, 0.1, Decimal("0.1")),
        (Number, "1/3", "1/3"),
        (Number, np.float64(0.1), 0.1),
        (Number, 2, 2),
        (Count | Literal["auto"], "auto", "auto"),
        (Diversity, "5/2", "5/2"),
        (Diversity, 1, 1),
        (Diversity | None, Fraction(7, 3), Fraction(7, 3)),
        (dt.date, dt.datetime(2024, 1, 2), dt.date(2024, 1, 2)),  # noqa: DTZ001
        (dt.date, np.datetime64("2024-01-02", "ns"), dt.date(2024, 1, 2)),
        (Path, "a/b", Path("a/b")),
        (Path, PurePosixPath("a/b"), Path("a/b")),
        (tuple[int, int], [1, np.int8(2)], (1, 2)),
        (Mapping[str, float], {"a": np.float32(0.5)}, FrozenTable(a=0.5)),
        (Callable[[], int], int, int),
        (Any, int, int),
        (int | None, None, None),
    ],
)
def test_what_fits_becomes_the_declared_type(declared, given, expected):
    got = read_as(declared, "it", given)
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize(
    ("declared", "given", "sentence"),
    [
        (Fraction, 0.1, r"it must be an exact number such as 2 or Fraction\('0.1'\); got 0.1"),
        (Fraction, "0.1", "it must be an exact number"),
        (Diversity, "0.99", "it must be a number such as 2.5 or .5/2., 1 or more; got '0.99'"),
        (Diversity | None, Decimal("0.5"), r"it must be a number .* 1 or more; got Decimal\('0.5'\)"),
        (Decimal, Fraction(1, 3), r"it must be a number; got Fraction\(1, 3\)"),
        (int, 2**63, "it must be a whole number; got 9223372036854775808"),
        pytest.param(int, 10**5000, "got a number of thousands of digits", id="huge"),
        (Number, "9" * 500, "it must be a number such as 0.1"),
        (Number, "1e-999999999", "it must be a number such as 0.1"),
        (Count, 0, "it must be a whole number, 1 or more; got 0"),
        (Count | Literal["auto"], "atuo", r"1 or more or auto; got 'atuo'\. Did you mean 'auto'"),
        (dt.date, dt.datetime(2024, 1, 2, 3), "it must be a day such as"),  # noqa: DTZ001
        (Path, b"a", "it must be a path; got b'a'"),
        (tuple[int, int], [1], r"it must be a list of 2: a whole number, a whole number; got \[1\]"),
        (tuple[tuple[str, ...], ...], [["a"], ["b", 5]], r"it\[1\]\[1\] must be a text; got 5"),
        (Mapping[str, float], {5: 1.0}, "it, a key of it, must be a text; got 5"),
        (Callable[[], int], 5, "it must be an instance of Callable; got 5"),
        (tuple[str, ...], ["a", *range(30)], r"it\[1\] must be a text; got 0"),
        (str, list(range(30)), "it must be a text; got a list of 30"),
    ],
)
def test_what_does_not_fit_is_refused(declared, given, sentence):
    with pytest.raises(ParameterError, match=sentence):
        read_as(declared, "it", given)


def test_numbers_that_would_take_forever_are_not_read():
    for text in ("1e999999999", "-1e-999999999", Decimal("1e999999"), "1" * 1000, "inf", "1/0"):
        with pytest.raises(ParameterError, match="is not a finite number"):
            exact(text)
    assert exact("1e-300") == Fraction(1, 10**300)


def test_a_tuple_that_fits_is_kept_as_it_is():
    values = tuple(str(i) for i in range(1000))
    assert read_as(tuple[str, ...], "it", values) is values
    numbers = (1, 2)
    assert read_as(tuple[int, ...], "it", numbers) is numbers


@dataclass(frozen=True, slots=True)
class Untold:
    """Its type is known to type checkers only."""

    it: "Unknown"

    def __post_init__(self):
        read_parameters(self)


def test_a_type_that_cannot_be_found_is_said_so():
    with pytest.raises(ParameterError, match=r"Untold: the type of a parameter cannot be found .*TYPE_CHECKING"):
        Untold(5)
