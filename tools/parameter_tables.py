"""Write down what the code declares: the tables of docs/parameters.md, and two JSON Schemas.

`make tables` runs it; a test fails while what is committed is not what the code yields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from shoal.criteria.registry import CRITERIA
from shoal.parameters.lists import Parameter, listed_parameters, summary
from shoal.parameters.words import choices_of, options_of
from shoal.plan.json_schema import release_schema
from shoal.plan.method import METHODS
from shoal.plan.parameter_help import IN_FILES, default, expected
from shoal.promises.describing.certificate_schema import certificate_schema
from shoal.quality.registry import QUALITY_MODELS

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, SCHEMA, CERTIFICATE = DOCS / "parameters.md", DOCS / "release.schema.json", DOCS / "certificate.schema.json"


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


def certificate() -> str:
    """The JSON Schema of certificates."""
    return json.dumps(certificate_schema(), indent=2, ensure_ascii=False) + "\n"


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
        if option in IN_FILES:
            return re.sub(r"quality model|criteria|method(?= with)", _linked, IN_FILES[option])
    return re.sub(r'("[\w-]+")', r"`\1`", expected(declared)) if choices_of(declared) else expected(declared)


def _linked(found: re.Match[str]) -> str:
    """What is listed on the page, with a link to where."""
    section = found[0].removesuffix("s").replace(" ", "-") + "s" * (found[0] != "criteria")
    return f"[{found[0]}](#{section})"


def _default(parameter: Parameter) -> str:
    if parameter.is_required:
        return "required"
    given = default(parameter)
    return "none" if given is None else f"`{given}`"


def main() -> None:
    """Write all three files."""
    for path, text in (
        (PAGE, page(PAGE.read_text(encoding="utf-8"))),
        (SCHEMA, schema()),
        (CERTIFICATE, certificate()),
    ):
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    main()
