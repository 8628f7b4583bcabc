"""`shoal ledger`: what has been spent on a dataset, by which releases."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from shoal.dp.fingerprint import Dataset
from shoal.dp.guarantee import PrivacyCost, shown
from shoal.dp.ledger_rows import Spending, total
from shoal.dp.ledger_store import LedgerStore, default_folder


def ledger(
    source: Annotated[Path, typer.Argument(help="The dataset: a file, or a folder of parts.")],
    name: Annotated[str | None, typer.Option(help="The name the dataset has in release files, if it has one.")] = None,
    store: Annotated[Path | None, typer.Option(help="Folder of the ledger.  [default: the user's data folder]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Show what has been spent on SOURCE, by which releases.

    Example: shoal ledger people.csv
    """
    history = LedgerStore(store or default_folder()).history(Dataset.of(source, name))
    totals = [total(same, same[0].cost.neighbors) for same in _by_relation(history)]
    if as_json:
        typer.echo(json.dumps({"spent": [_told(cost) for cost in totals], "releases": [s.to_dict() for s in history]}))
    else:
        _print(history, totals)


def _by_relation(history: tuple[Spending, ...]) -> list[list[Spending]]:
    groups: dict[str, list[Spending]] = {}
    for spending in history:
        groups.setdefault(spending.cost.neighbors.name, []).append(spending)
    return list(groups.values())


def _told(cost: PrivacyCost) -> dict[str, float | str]:
    return {"epsilon": float(cost.epsilon), "delta": float(cost.delta), "neighbors": cost.neighbors.value}


def _print(history: tuple[Spending, ...], totals: list[PrivacyCost]) -> None:
    console = Console(markup=False, emoji=False, highlight=False)
    if not history:
        console.print("Nothing has been spent on this dataset.")
        return
    table = Table("release", "epsilon", "delta", "neighbors", "reserved", "written")
    for spending in history:
        cost = spending.cost
        table.add_row(
            spending.release,
            shown(cost.epsilon),
            shown(cost.delta),
            cost.neighbors.value,
            spending.reserved_at,
            spending.released_at or "not confirmed; spent all the same",
        )
    console.print(table)
    for cost in totals:
        console.print(f"Spent in total: {cost}.")
