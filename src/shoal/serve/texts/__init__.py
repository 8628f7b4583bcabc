"""Every word of the page, by language: a file each. Another language is another file with the same keys."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LANGUAGES = {"en": "English", "de": "Deutsch"}


@cache
def words(language: str) -> dict[str, str]:
    """All texts of a language."""
    text = (files(__name__) / f"{language}.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text))


@dataclass(frozen=True, slots=True)
class Texts:
    """The words of one language."""

    language: str = "en"

    def __call__(self, key: str, **values: object) -> str:
        """A text with its blanks filled in."""
        text = words(self.language)[key]
        return text.format(**values) if values else text

    def get(self, key: str, otherwise: str) -> str:
        """A text if there is one: names of methods and parameters may have one, those of plugins do not."""
        return words(self.language).get(key, otherwise)
