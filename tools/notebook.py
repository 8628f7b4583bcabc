"""Make the notebook of the data scientist's tutorial from its page: the page is tested, and the notebook says the same.

`make tables` runs it. Code blocks become cells, and what the page shows as their output becomes their output.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tutorials" / "data-scientist.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")
FENCE = re.compile(r"^```(python|text)\n(.*?)^```\n", flags=re.MULTILINE | re.DOTALL)


def notebook(page: str) -> str:
    """A notebook of the text, the code and the outputs of a page."""
    cells: list[dict[str, Any]] = []
    place = 0
    for match in [*FENCE.finditer(page), None]:
        said = page[place : len(page) if match is None else match.start()].strip()
        if said:
            cells.append({"cell_type": "markdown", "metadata": {}, "source": _lines(said)})
        if match is None:
            break
        language, text = match.groups()
        if language == "python":
            cells.append(
                {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": _lines(text)}
            )
        else:
            cells[-1]["outputs"] = [{"name": "stdout", "output_type": "stream", "text": _lines(text, end="\n")}]
        place = match.end()
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _lines(text: str, end: str = "") -> list[str]:
    """As notebooks keep a text: its lines, each with its end but the last."""
    return (text.strip("\n") + end).splitlines(keepends=True)


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
