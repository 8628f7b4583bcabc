"""How the site reads docstrings (a Griffe extension, named in mkdocs.yml): an `Example:` is a session of Python."""

from __future__ import annotations

from typing import Any

import griffe


class Sessions(griffe.Extension):
    """Call the sections what Griffe calls them."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Google's style says `Example:`, and Griffe takes that for a remark."""
        if obj.docstring is not None:
            obj.docstring.value = obj.docstring.value.replace("\nExample:\n", "\nExamples:\n")
