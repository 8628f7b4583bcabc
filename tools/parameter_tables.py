"""Write down what the code declares: the tables of docs/parameters.md, and docs/release.schema.json.

`make tables` runs it; a test fails while what is committed is not what the code yields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from shoal.criteria import Criterion
from shoal.criteria.registry import CRITERIA
from shoal.methods import ClassBounds, Method
from shoal.parameters.lists import Parameter, listed_parameters, summary
from shoal.parameters.words import choices_of, described, options_of
from shoal.plan.json_schema import release_schema
from shoal.plan.method import METHODS
from shoal.quality import QualityModel
from shoal.quality.registry import QUALITY_MODELS

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, SCHEMA = DOCS / "parameters.md", DOCS / "release.schema.json"

_IN_FILES: dict[Any, str] = {
    QualityModel: "a [quality model](#quality-models), by its name",
    tuple[Criterion, ...]: "a list of [criteria](#criteria)",
    tuple[ClassBounds, ...]: "a list of tables",
    Method: "a table: a [method](#methods) with its parameters",
}
"""What a release file writes where Python has an instance of a class."""


def page(text: str) -> str:
    """The page with all tables made anew; what stands outside of the marks stays."""
    made: dict[str, Callable[[], str]] = {
        "methods": lambda: _sections(METHODS.own, _method_page),
        "quality models": lambda: _sections(QUALITY_MODELS.own),
        "criteria": lambda: _sections(CRITERIA.own),
    }
    for name, make in made.items():
        mark = rf"(<!-- {name}: .*? -->\n).*?(<!-- end of {name} -->)"
        text, count = re.subn(mark, lambda found, make=make: found[1] + make() + found[2], text, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"{PAGE} has {count} places for {name}; expected one.")
    return text


def schema() -> str:
    """The JSON Schema of Shoal alone; `shoal schema` knows what other packages bring, too."""
    return json.dumps(release_schema(brought=False), indent=2, ensure_ascii=False) + "\n"


def _sections(kinds: Mapping[str, type[Any]], see: Callable[[str, type[Any]], str] = lambda *_: "") -> str:
    parts = (
        f"\n### `{name}`\n\n{_cell(summary(kind))} In Python `{kind.__name__}`.{see(name, kind)}\n"
        f"{_table(listed_parameters(kind))}"
        for name, kind in kinds.items()
    )
    return "".join(parts) + "\n"


def _method_page(name: str, kind: type[Any]) -> str:
    """A link to the page of a method, which is called like the method or like its room."""
    candidates = (name, kind.__module__.split(".")[2])
    found = next((one for one in candidates if (DOCS / "methods" / f"{one}.md").exists()), None)
    return "" if found is None else f" [More](methods/{found}.md)."


def _table(parameters: Iterable[Parameter]) -> str:
    rows = [f"| `{p.name}` | {_cell(_type(p.declared))} | {_default(p)} | {_cell(p.meaning)} |" for p in parameters]
    if not rows:
        return ""
    return "\n".join(["", "| parameter | type | default | meaning |", "| --- | --- | --- | --- |", *rows, ""])


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _type(declared: Any) -> str:
    for option in options_of(declared):
        if option in _IN_FILES:
            return _IN_FILES[option]
    words, text = choices_of(declared), described(declared)
    quoted = [f'`"{word}"`' for word in words]
    return text.removesuffix(" or ".join(words)) + " or ".join(quoted) if words else text


def _default(parameter: Parameter) -> str:
    """The default as a release file would write it."""
    value = parameter.default
    if parameter.is_required:
        return "required"
    if value is None or value in ((), {}):
        return "none"
    if isinstance(value, Enum):
        value = choices_of(type(value))[list(type(value)).index(value)]
    if isinstance(value, Method):
        return f'`{{ name = "{value.name}" }}`'
    if isinstance(value, QualityModel):
        value = next(name for name, kind in QUALITY_MODELS.own.items() if type(value) is kind)
    return f"`{json.dumps(value)}`"


def main() -> None:
    """Write both files."""
    for path, text in ((PAGE, page(PAGE.read_text(encoding="utf-8"))), (SCHEMA, schema())):
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    main()
