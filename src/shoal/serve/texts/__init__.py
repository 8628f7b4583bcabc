"""Every word of the page, by language: a file each. Another language is another file with the same keys."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter

LANGUAGES = {"en": "English", "de": "Deutsch"}


@cache
def words(language: str) -> dict[str, str]:
    """All texts of a language."""
    text = (files(__name__) / f"{language}.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text))


_SENTENCES = ("promise", "why", "share", "kept")
"""Blanks that hold words of the library, and no name."""


@cache
def said(language: str) -> tuple[dict[str, str], tuple[tuple[re.Pattern[str], str], ...]]:
    """What the library says in English, in another language: whole texts, and those with blanks."""
    if language == "en":
        return {}, ()
    pairs = tomllib.loads((files(__name__) / f"{language}_said.toml").read_text(encoding="utf-8"))
    whole = {english: other for english, other in pairs.items() if "{" not in english}
    blanks = [(_pattern(english), other) for english, other in pairs.items() if "{" in english]
    return whole, tuple(blanks)


def _pattern(english: str) -> re.Pattern[str]:
    """What finds the blanks of a text again."""
    parts = re.split(r"\{(\w+)\}", english)
    return re.compile("".join(f"(?P<{part}>.+?)" if i % 2 else re.escape(part) for i, part in enumerate(parts)))


_WITH_COMMA = ("de",)
"""Languages with a decimal comma."""
_SWAPPED = str.maketrans(",.", ".,")


class _Blanks(Formatter):
    """Fills in numbers as a language writes them."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def format_field(self, value: object, written: str) -> str:
        if isinstance(value, int | float) and written:
            return self._texts.number(value, written)
        return format(value, written)


@dataclass(frozen=True, slots=True)
class Texts:
    """The words of one language."""

    language: str = "en"

    def __call__(self, key: str, **values: object) -> str:
        """A text with its blanks filled in."""
        text = words(self.language)[key]
        return _Blanks(self).format(text, **values) if values else text

    def number(self, value: float, written: str = ",") -> str:
        """A number as this language writes it: 1,234.5 or 1.234,5."""
        text = format(value, written)
        return text.translate(_SWAPPED) if self.language in _WITH_COMMA else text

    def get(self, key: str, otherwise: str) -> str:
        """A text if there is one: names of methods and parameters may have one, those of plugins do not."""
        return words(self.language).get(key, otherwise)

    def said(self, english: str) -> str:
        """What the library says, in this language; as it is if nobody has put it into words."""
        return self._known(english) or english

    def language_of(self, english: str) -> str | None:
        """The language that something the library says is shown in, where it is not the page's."""
        return None if self.language == "en" or self._known(english) else "en"

    def _known(self, english: str) -> str | None:
        whole, blanks = said(self.language)
        if english in whole:
            return whole[english]
        for pattern, other in blanks:
            if found := pattern.fullmatch(english):
                return re.sub(r"\{(\w+)\}", lambda blank: self._filled(blank[1], found), other)
        return None

    def _filled(self, blank: str, found: re.Match[str]) -> str:
        """What stands in a blank: a sentence is put into words, too; a name or a number stays what it is."""
        return self.said(found[blank]) if blank in _SENTENCES else found[blank]
