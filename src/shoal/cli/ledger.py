"""shoal ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.console import emit, errors_as_exit_codes

if TYPE_CHECKING:
    from shoal.dp.guarantee import PrivacyCost
    from shoal.dp.ledger_rows import Spending


def ledger(
    source: Annotated[Path, typer.Argument(metavar="DATA", help="The dataset: a file, or a folder of parts.")],
    name: Annotated[str | None, typer.Option(help="The name the owner gave the dataset, if any.")] = None,
    store: Annotated[Path | None, typer.Option(help="The ledger's folder, if not the user's data folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Show what has been spent on a dataset, by which releases.

    Example: shoal ledger people.csv
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.dp.fingerprint import Dataset
        from shoal.dp.ledger_rows import totals
        from shoal.dp.ledger_store import LedgerStore, default_folder

        history = LedgerStore(store or default_folder()).history(Dataset.of(source, name))
        spent = totals(history)
        if as_json:
            emit({"spent": [_told(cost) for cost in spent], "releases": [spending.to_dict() for spending in history]})
        else:
            _print(history, spent)


def _told(cost: PrivacyCost) -> dict[str, Any]:
    return {"epsilon": float(cost.epsilon), "delta": float(cost.delta), "neighbors": cost.neighbors.value}


def _print(history: tuple[Spending, ...], spent: list[PrivacyCost]) -> None:
    from rich.console import Console
    from rich.table import Table

    from shoal.dp.guarantee import shown

    console = Console(markup=False, emoji=False, highlight=False)
    if not history:
        console.print("Nothing has been spent on this dataset.")
        return
    table = Table("release", "epsilon", "delta", "neighbors", "reserved", "written")
    for spending in history:
        cost, written = spending.cost, spending.released_at or "not confirmed; spent all the same"
        numbers = (shown(cost.epsilon), shown(cost.delta), cost.neighbors.value)
        table.add_row(spending.release, *numbers, spending.reserved_at, written)
    console.print(table)
    for cost in spent:
        console.print(f"Spent in total: {cost}.")
