"""Expectation: what a run is likely to give, in sentences and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What a run is likely to give, by what is public: no record was looked at.

    Attributes:
        said: What to expect, in sentences.
        warnings: Why it may be of little use.
        better: What would serve better, and how much.
        figures: The numbers behind the sentences, by name; shares of a domain are from 0 to 1.
    """

    said: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = (("What to expect", self.said), ("Warning", self.warnings), ("What would serve better", self.better))
        return "\n\n".join(
            "\n".join([f"{title}:", *(f"- {sentence}" for sentence in sentences)])
            for title, sentences in parts
            if sentences
        )
