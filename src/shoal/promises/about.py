"""About: what a release is called, who answers for it, and whom to ask."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import ParameterError
from shoal.parameters import read_parameters

_MOST_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class About:
    """What the owner says about a release: it stands on the report, in the certificate and in the recipients' README.

    Attributes:
        title: What the release is called.
        owner: Who makes it and answers for it: a person, a department, an institution.
        contact: Whom to ask: an address, a telephone number, a page.
    """

    title: str = ""
    owner: str = ""
    contact: str = ""

    def __post_init__(self) -> None:
        read_parameters(self)
        for name in ("title", "owner", "contact"):
            text: str = getattr(self, name)
            if len(text) > _MOST_CHARACTERS or not text.isprintable() or text != text.strip():
                raise ParameterError(
                    f"{name} of a release must be one line of at most {_MOST_CHARACTERS} characters, without spaces "
                    f"around it; got {len(text)} characters."
                )

    def to_dict(self) -> dict[str, str]:
        """What was said, as it stands in a certificate."""
        return {name: text for name in ("title", "owner", "contact") if (text := getattr(self, name))}
