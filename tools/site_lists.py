"""How the site reads lists (a hook of MkDocs, named in mkdocs.yml): what belongs to an item is indented as on GitHub.

There two or three spaces are enough, as far as the item's text begins; Python-Markdown wants four.
"""

from __future__ import annotations

import re
from typing import Any


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page, with what stands below an item of a list indented by four spaces; blocks of code stay as they are."""
    parts = re.split(r"^(```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        part if part.startswith("```") else re.sub(r"^ {2,3}(?=\S)", "    ", part, flags=re.MULTILINE) for part in parts
    )
