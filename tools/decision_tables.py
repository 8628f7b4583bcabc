"""The tables of docs/choosing.md, from `shoal.advise` and from the definition of ε: `make tables` writes them.

They stand between two comments each, `<!-- NAME -->` and `<!-- end of NAME -->`.
"""

from __future__ import annotations

from math import exp
from pathlib import Path

import shoal
from shoal.plan.advising import Need, Recipients

PAGE = Path(__file__).resolve().parents[1] / "docs" / "choosing.md"
SIZES = (5_000, 30_000, 1_000_000)
EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
LINKS = {"local-recoding": "methods/local_recoding.md"}


def tables() -> dict[str, str]:
    """Every table by its name."""
    return {"records": _records(), "changed": _changed(), "epsilon": _epsilon()}


def page(text: str) -> str:
    """The page with its tables as they are now."""
    for name, table in tables().items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        head, _, rest = text.partition(begin)
        tail = rest.partition(end)[2]
        assert tail, name
        text = f"{head}{begin}\n{table}\n{end}{tail}"
    return text


def _records() -> str:
    head = ["recipients", "releases", *(f"{size:,} records" for size in SIZES)]
    rows = [
        [who.value, how_many, *(_said(shoal.advise(Need.RECORDS, who, number, records=size)) for size in SIZES)]
        for who in Recipients
        for number, how_many in ((1, "one"), (4, "four"))
    ]
    return _table(head, rows)


def _changed() -> str:
    head = ["need", "recipients", "one release", "each of four"]
    rows = []
    for need, target, called in (
        (Need.STATISTICS, None, "statistics, nothing to predict"),
        (Need.STATISTICS, "target", "statistics, a column to predict"),
        (Need.COUNTS, None, "counts by a few columns"),
    ):
        for who in Recipients:
            said = [_said(shoal.advise(need, who, number, target=target)) for number in (1, 4)]
            rows.append([called, who.value, *said])
    return _table(head, rows)


def _said(advice: shoal.Advice) -> str:
    """A method with the parameters that are numbers of protection."""
    shown = {"k": "k", "diversity": "ℓ", "epsilon": "ε", "delta": "δ"}
    said = [f"{word} = {advice.parameters[key]:g}" for key, word in shown.items() if key in advice.parameters]
    where = LINKS.get(advice.method, f"methods/{advice.method}.md")
    return ", ".join([f"[`{advice.method}`]({where})", *said])


def _epsilon() -> str:
    """What is left of a doubt: p becomes at most p e^ε / (1 − p + p e^ε)."""
    priors = (0.01, 0.1, 0.5)
    head = ["ε", "odds change at most by", *(f"who thought it {prior:.0%} likely comes to" for prior in priors)]
    rows = []
    for epsilon in EPSILONS:
        factor = exp(epsilon)
        surest = [p * factor / (1 - p + p * factor) for p in priors]
        rows.append(
            [
                f"{epsilon:g}",
                f"a factor of {factor:,.3g}" if factor < 1000 else f"a factor of {factor:,.0f}",
                *(f"{chance:.1%}" if chance < 0.9995 else f"{chance:.2%}" for chance in surest),
            ]
        )
    return _table(head, rows)


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows])


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
