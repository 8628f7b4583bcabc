"""The page about evaluation: its examples run, one after the other."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "evaluation.md"


def test_every_example_of_the_page_runs():
    examples = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert len(examples) == 5
    scope = {}
    for example in examples:
        exec(example, scope)
