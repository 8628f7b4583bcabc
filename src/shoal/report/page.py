"""The owner's report: one self-contained page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from shoal.report.charts import bars, columns

if TYPE_CHECKING:
    from shoal.release import Release

_BINS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000)

_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shoal: owner's report</title><style>$style</style></head><body>
<p class="owner" role="note">For the owner's eyes only: computed from the original records. Do not publish.</p>
<main>
<h1>What was released, and what it cost</h1>
<p class="soft">$records records in, $published published, $suppressed left out ($share). Method: $method.</p>
<h2>What is promised</h2>
<ul>$guarantees</ul>
<p>This takes for granted:</p><ul>$assumptions</ul>
<h2>How each column was recoded</h2>
<div class="scroll">$recoding</div>
<h2>What was lost</h2>
<p class="soft">0 is the original, 1 is nothing left. $optimized</p>
$losses_chart
$losses_table
<h2>How many records look alike</h2>
<p class="soft">Published classes by size. Someone who knows a person's quasi-identifiers is left with a class of at
least $smallest records, $average on average.</p>
$sizes_chart
$sizes_table
<h2>How the recoding was found</h2>
$search
</main></body></html>
""")


class Report:
    """The report of a release; shows itself in a notebook."""

    def __init__(self, release: Release) -> None:
        self._release = release

    def save(self, path: str | Path) -> Path:
        """Write the page to a file."""
        path = Path(path)
        path.write_text(self.html(), encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        framed = escape(self.html(), quote=True)
        return f'<iframe srcdoc="{framed}" style="width:100%;height:42rem;border:0" title="owner\'s report"></iframe>'

    def html(self) -> str:
        """The page."""
        facts, certificate = self._release.facts, self._release.certificate
        sizes = _binned(facts.class_sizes)
        classes = sum(facts.class_sizes.values())
        published = sum(size * count for size, count in facts.class_sizes.items())
        assumptions = dict.fromkeys(text for g in certificate.guarantees for text in g.assumptions)
        return _PAGE.substitute(
            style=files("shoal.report").joinpath("report.css").read_text(encoding="utf-8"),
            records=f"{facts.records:,}",
            published=f"{published:,}",
            suppressed=f"{facts.suppressed:,}",
            share=f"{facts.suppressed / max(facts.records, 1):.2%}",
            method=escape(f"{certificate.method} ({_said(certificate.parameters)})"),
            guarantees=_items(str(guarantee) for guarantee in certificate.guarantees),
            assumptions=_items(assumptions),
            recoding=_table(
                ("column", "role", "recoding", "values before", "values after"),
                [(c["name"], c["role"], c["recoding"], c["before"], c["after"]) for c in facts.columns],
                "Level 0 keeps every value; the highest level hides the column.",
            ),
            optimized=_worked_for(facts.optimized),
            losses_chart=bars(facts.losses, title="Loss by quality model", top=1.0),
            losses_table=_folded(
                _table(
                    ("quality model", "loss"),
                    [(n, f"{v:.4f}") for n, v in facts.losses.items()],
                    "Loss by quality model",
                )
            ),
            smallest=f"{min(facts.class_sizes):,}",
            average=f"{published / max(classes, 1):,.1f}",
            sizes_chart=columns(
                {name: float(count) for name, count in sizes.items()}, title="Published classes by size"
            ),
            sizes_table=_folded(
                _table(("records in the class", "classes"), list(sizes.items()), "Published classes by size")
            ),
            search=_table(("fact", "value"), [(name, _value(value)) for name, value in facts.search.items()], ""),
        )


def _worked_for(optimized: str | None) -> str:
    return "" if optimized is None else f"The method worked for <strong>{escape(optimized)}</strong>."


def _binned(class_sizes: Mapping[int, int]) -> dict[str, int]:
    """Classes by size, in ranges that grow."""
    bins: dict[str, int] = {}
    for low, above in zip(_BINS, [*_BINS[1:], 10**12], strict=True):
        count = sum(n for size, n in class_sizes.items() if low <= size < above)
        name = f"{low:,}" if above == low + 1 else f"{low:,}+" if above == 10**12 else f"{low:,}-{above - 1:,}"
        if count:
            bins[name] = count
    return bins


def _said(parameters: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6f}" if isinstance(value, float) else str(value)


def _items(texts: Iterable[str]) -> str:
    return "".join(f"<li>{escape(text)}</li>" for text in texts)


def _table(head: Sequence[str], rows: Sequence[Sequence[object]], caption: str) -> str:
    """Rows under a head; a column of numbers is set to the right, its head with it."""
    numeric = [all(_is_number(row[i]) for row in rows) for i in range(len(head))]

    def cell(value: object, tag: str, i: int) -> str:
        text = f"{value:,}" if isinstance(value, int) else str(value)
        return f"<{tag}{' class=n' if numeric[i] else ''}>{escape(text)}</{tag}>"

    body = "".join(f"<tr>{''.join(cell(value, 'td', i) for i, value in enumerate(row))}</tr>" for row in rows)
    header = "".join(cell(name, "th", i) for i, name in enumerate(head))
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and value.replace(".", "", 1).isdigit())


def _folded(table: str) -> str:
    """A table behind a chart, for those who want the numbers."""
    return f"<details><summary>The numbers as a table</summary>{table}</details>"
