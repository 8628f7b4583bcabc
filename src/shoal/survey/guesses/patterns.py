"""What values say by how they are written: addresses of mail and machines, numbers of phones, cards and persons.

Own patterns and check digits, demanded of nearly all values of a column: a library that knows every country takes every
other random number for a valid one.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from shoal.survey.kinds import Kind
from shoal.survey.names.vocabulary import GIVEN_NAMES

_SHARE = 0.95
"""Of the values that have to look so."""
_SAMPLE = 2000
"""Values that are looked at."""
_FEWEST = 3
_FEWEST_CHECKED = 10
"""Values below which a check digit says nothing: one number in ten passes by luck."""
_MANY_NAMES, _NAMED_SHARE, _MOST_WORDS = 20, 0.3, 4
"""Values, the share of them with a common given name, and words in each on average that names of persons have."""
_LONG_TEXT = 40
_MANY_WORDS = 6


@dataclass(frozen=True, slots=True)
class Pattern:
    """How values of one sort are written, and what else must hold of them."""

    what: str
    form: re.Pattern[str]
    holds: Callable[[str], bool] | None = None
    fewest: int = _FEWEST


def pattern_of(kind: Kind, values: Sequence[str]) -> str | None:
    """What nearly all values of a column are, in words, if they point at persons; None if they do not."""
    if kind not in (Kind.CATEGORIES, Kind.CODES, Kind.NUMBERS) or len(values) < _FEWEST:
        return None
    sample = [value.strip() for value in islice(values, _SAMPLE)]
    for pattern in _PATTERNS:
        if len(values) >= pattern.fewest and _is_most(sample[:20], pattern, 0.75) and _is_most(sample, pattern, _SHARE):
            return pattern.what
    return None


def are_person_names(values: Sequence[str]) -> bool:
    """Whether values are names of persons: a few words without digits, and in many of them a common given name."""
    sample = [words for value in islice(values, _SAMPLE) if (words := re.findall(r"[^\W\d_]+", value.casefold()))]
    if len(sample) < _MANY_NAMES or any(map(str.isdigit, "".join(islice(values, _SAMPLE)))):
        return False
    with_name = sum(not GIVEN_NAMES.isdisjoint(words) for words in sample)
    return with_name >= _NAMED_SHARE * len(sample) and sum(map(len, sample)) <= _MOST_WORDS * len(sample)


def is_free_text(values: Sequence[str]) -> bool:
    """Whether values are sentences and not names of things: long, of many words, and hardly any like another."""
    sample = [value for value in islice(values, _SAMPLE) if value.strip()]
    if len(sample) < _FEWEST_CHECKED:
        return False
    length = sum(map(len, sample)) / len(sample)
    spaces = sum(value.strip().count(" ") for value in sample) / len(sample)
    return length >= _LONG_TEXT and spaces + 1 >= _MANY_WORDS


def _is_most(values: Sequence[str], pattern: Pattern, share: float) -> bool:
    fits = sum(
        pattern.form.fullmatch(value) is not None and (pattern.holds is None or pattern.holds(value))
        for value in values
    )
    return fits >= share * len(values)


def _digits(value: str) -> list[int]:
    return [int(c) for c in value if c.isdigit()]


def luhn(value: str) -> bool:
    """The check digit of cards: Luhn's."""
    backwards = _digits(value)[::-1]
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in backwards[1::2])
    return (sum(backwards[::2]) + doubled) % 10 == 0


def iban(value: str) -> bool:
    """The check digits of accounts: ISO 7064, 97-10."""
    plain = value.replace(" ", "")
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def _weighted(weights: Sequence[int], modulus: int, wanted: Callable[[int, int], bool]) -> Callable[[str], bool]:
    """A check digit that follows from a weighted sum of the digits before it."""

    def holds(value: str) -> bool:
        digits = _digits(value)
        total = sum(w * d for w, d in zip(weights, digits, strict=False))
        return wanted(total % modulus, digits[-1])

    return holds


def _cpf(value: str) -> bool:
    digits = _digits(value)
    for end in (9, 10):
        rest = sum(w * d for w, d in zip(range(end + 1, 1, -1), digits, strict=False)) * 10 % 11 % 10
        if rest != digits[end]:
            return False
    return True


def _china(value: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return "10X98765432"[sum(w * int(c) for w, c in zip(weights, value, strict=False)) % 11] == value[-1].upper()


def _france(value: str) -> bool:
    plain = value.replace(" ", "").upper().replace("2A", "19").replace("2B", "18")
    return 97 - int(plain[:13]) % 97 == int(plain[13:])


def _spain(value: str) -> bool:
    plain = value.upper().replace("-", "").replace(" ", "")
    number = plain[0].translate(str.maketrans("XYZ", "012")) + plain[1:]
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number[:8]) % 23] == number[-1]


def _address(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def _is_phone(value: str) -> bool:
    marks = len(re.findall(r"[ ()/.-]+", value.strip("+( ")))
    is_number = re.fullmatch(r"\d{1,3}([. ]\d{3})+|\d*\.\d+", value) is not None  # 1.234.567, 0.1234567
    return 7 <= len(_digits(value)) <= 15 and not is_number and (value[0] in "+(0" or marks >= 2)


def _is_place(value: str) -> bool:
    latitude, longitude = map(float, re.findall(r"-?\d+\.\d+", value))
    return abs(latitude) <= 90 and abs(longitude) <= 180


def _form(text: str) -> re.Pattern[str]:
    return re.compile(text, re.ASCII)


_PATTERNS = (
    Pattern("addresses of mail", _form(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    Pattern("addresses of the web", _form(r"(https?|ftp)://\S+|www\.\S+")),
    Pattern("random identifiers (UUID)", _form(r"\{?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?")),
    Pattern("addresses of network cards", _form(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}")),
    Pattern("addresses of machines (IP)", _form(r"\d{1,3}(\.\d{1,3}){3}|[0-9a-fA-F]*(:[0-9a-fA-F]*){2,7}"), _address),
    Pattern("account numbers (IBAN)", _form(r"[A-Z]{2}\d{2}( ?[0-9A-Z]){11,30}"), iban),
    Pattern("numbers of cards", _form(r"\d{13,19}|\d{4}([ -]\d{4}){3}|\d{4}[ -]\d{6}[ -]\d{5}"), luhn, _FEWEST_CHECKED),
    Pattern("points on the map", _form(r"[(\[]?-?\d{1,2}\.\d{3,}\s*[,; ]\s*-?\d{1,3}\.\d{3,}[)\]]?"), _is_place),
    Pattern("US social security numbers", _form(r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}")),
    Pattern("British national insurance numbers", _form(r"[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]")),
    Pattern("Italian tax codes", _form(r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]")),
    Pattern("Spanish identity numbers", _form(r"[XYZxyz\d]-?\d{7}[- ]?[A-Za-z]"), _spain),
    Pattern("French social security numbers", _form(r"[12] ?\d\d ?\d\d ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d"), _france),
    Pattern("Brazilian tax numbers", _form(r"\d{3}\.?\d{3}\.?\d{3}-?\d\d"), _cpf, _FEWEST_CHECKED),
    Pattern("Chinese identity numbers", _form(r"\d{6}(19|20)\d{9}[\dXx]"), _china),
    Pattern("Nordic identity numbers", _form(r"(\d\d)?\d\d[01]\d[0-7]\d[-+A]\d{3}[\dA-Y]")),
    Pattern("Czech or Slovak birth numbers", _form(r"\d{6}/\d{3,4}")),
    Pattern(
        "Polish identity numbers", _form(r"\d{11}"),
        _weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3), 10, lambda rest, last: (10 - rest) % 10 == last), _FEWEST_CHECKED,
    ),
    Pattern(
        "Dutch service numbers", _form(r"\d{9}"),
        _weighted((9, 8, 7, 6, 5, 4, 3, 2, -1), 11, lambda rest, _: rest == 0), _FEWEST_CHECKED,
    ),
    Pattern(
        "NHS numbers", _form(r"\d{3}[ -]?\d{3}[ -]?\d{4}"),
        _weighted((10, 9, 8, 7, 6, 5, 4, 3, 2), 11, lambda rest, last: (11 - rest) % 11 == last), _FEWEST_CHECKED,
    ),
    Pattern("numbers of phones", _form(r"[+(]?\d[\d ()/.-]{5,18}\d(\s?(x|ext\.?)\s?\d+)?"), _is_phone),
    Pattern(
        "names of persons",
        re.compile(r"[^\W\d_][\w'’-]+( [^\W\d_][\w'’-]+)?, ([A-Z]\w*\.? ?)+.*|(Mr|Mrs|Ms|Miss|Dr|Herr|Frau)\.? .+"),
        fewest=_FEWEST_CHECKED,
    ),
)  # fmt: skip
