"""Numbers that stand for a missing value, as surveys and old programs write them: -9, -999, 99, 9999 and the like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from shoal.data.attribute import NUMBER

_BELOW = re.compile(r"-([6-9])\1*(\.0+)?|-9+[678](\.0+)?", re.ASCII)
_ABOVE = re.compile(r"([789])\1+(\.0+)?|9+[678](\.0+)?", re.ASCII)
_FEWEST_OTHERS = 3
"""Other values that there must be, so that far away means something."""
_FAR = 2
"""How many times as large as all others a code is, if it is above them."""


def missing_codes(counts: Mapping[str, int]) -> tuple[str, ...]:
    """The values of a column of numbers that seem to mean that there is none: written like a code, repeated, far away.

    Below all others, where no other value is below zero; or more than twice as large as all others.

    Example:
        >>> missing_codes({"0": 3, "1": 2, "4": 1, "-9": 4}), missing_codes({"18": 3, "40": 2, "45": 1, "99": 4})
        (('-9',), ('99',))
        >>> missing_codes({"18": 3, "40": 2, "90": 1, "99": 4}), missing_codes({"-3": 3, "-9": 2, "5": 1, "7": 1})
        ((), ())
    """
    if not all(NUMBER.fullmatch(text.strip()) for text in counts):
        return ()
    numbers = {text: Decimal(text.strip()) for text in counts}
    for written, is_far in ((_BELOW, _is_below), (_ABOVE, _is_above)):
        codes = [text for text, n in counts.items() if n > 1 and written.fullmatch(text.strip())]
        others = [numbers[text] for text in counts if text not in codes]
        if codes and len(others) >= _FEWEST_OTHERS and all(is_far(numbers[code], others) for code in codes):
            return tuple(sorted(codes, key=lambda code: numbers[code]))
    return ()


def _is_below(code: Decimal, others: list[Decimal]) -> bool:
    return code < 0 <= min(others)


def _is_above(code: Decimal, others: list[Decimal]) -> bool:
    return code > _FAR * max(others)
