"""shoal ledger."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.console import emit, errors_as_exit_codes
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.dp.accounting.cost import PrivacyCost
    from shoal.dp.accounting.relation import Relation
    from shoal.dp.ledger.account import Account
    from shoal.dp.ledger.fingerprint import Dataset


def ledger(
    source: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="The dataset: a file, a folder of parts, or its release file (.toml)."),
    ],
    *,
    name: Annotated[str | None, typer.Option(help="The name the owner gave the dataset, if any.")] = None,
    store: Annotated[Path | None, typer.Option(help="The ledger's folder, if not the user's data folder.")] = None,
    raise_to: Annotated[
        str | None,
        typer.Option("--raise", metavar="LIMIT", help="Set this limit in place of all before: epsilon=3,delta=1e-4"),
    ] = None,
    neighbors: Annotated[
        str | None, typer.Option(help="With --raise: tell the limit under add/remove, replace or attributes.")
    ] = None,
    protected: Annotated[
        list[str] | None, typer.Option(help="With --neighbors attributes: a column that is protected; repeat it.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="With --raise: whom the limit is about: record, person or household.")
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="What stands between the cells of a CSV file.")] = None,
    encoding: Annotated[str, typer.Option(help="How a CSV file is written.")] = "utf-8",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for machines.")] = False,
) -> None:
    """Show what has been spent on a dataset, by which releases, and what is left; or raise its limit.

    Example: shoal ledger people.csv
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.dp.ledger.store import LedgerStore
        from shoal.files.remains import data_folder

        if raise_to is None and (neighbors is not None or protected or unit is not None):
            raise ParameterError(
                "--neighbors, --protected and --unit say under which relation a limit is told; give --raise too."
            )
        if store is not None and not store.is_dir():
            raise ParameterError(f"--store {store}: there is no such folder; give the one that [budget] ledger names.")
        dataset, folder = _dataset(source, name, delimiter, encoding)
        books = LedgerStore(store or folder or data_folder())
        account = books.account(dataset)
        if raise_to is not None:
            account = books.raise_limit(dataset, _limit(raise_to, neighbors, protected or [], unit, account))
        if as_json:
            emit({"ledger": str(books.folder)} | _as_json(account))
        else:
            _print(account, books.folder, is_named=store is not None or source.suffix.lower() == ".toml")


def _dataset(source: Path, name: str | None, delimiter: str | None, encoding: str) -> tuple[Dataset, Path | None]:
    """The dataset, and the folder of its ledger if a release file names one."""
    from shoal.engines.reading.layout import Layout
    from shoal.engines.reading.recognizing import dataset_at

    if source.suffix.lower() != ".toml":
        return dataset_at(source, name, layout=Layout(delimiter, encoding)), None
    from shoal.plan.plan import Plan

    plan = Plan.load(source)
    return plan.data.dataset(name or plan.budget.dataset, delimiter), plan.budget.ledger


def _limit(text: str, kind: str | None, protected: list[str], unit: str | None, account: Account) -> PrivacyCost:
    """The limit that --raise gives; under the relation of the one that binds, if no other is named."""
    from shoal.dp.accounting.cost import PrivacyCost
    from shoal.dp.accounting.relation import Relation

    parts = [part.partition("=") for part in text.split(",")]
    given = {key.strip(): value.strip() for key, _, value in parts}
    if len(given) < len(parts) or "epsilon" not in given or not set(given) <= {"epsilon", "delta"}:
        raise ParameterError(f"--raise takes a limit such as epsilon=3,delta=1e-4; got {text!r}.")
    known = dict.fromkeys(limit.relation for limit in account.binding)
    if kind is not None or protected or unit is not None:
        usual = next(iter(known), None) or _usual(account)
        if kind is None and not protected:
            kind, protected = usual.kind, sorted(usual.protected)
        relation = Relation.named("attributes" if kind is None else kind, protected, unit or usual.unit)
    elif len(known) > 1:
        raise ParameterError(
            f"--raise: limits bind under {' and '.join(repr(str(each)) for each in known)}, and the new one takes the "
            "place of all of them; say under which relation it is told with --neighbors."
        )
    else:
        relation = next(iter(known), None) or _usual(account)
    return PrivacyCost.of(given["epsilon"], given.get("delta", 0), relation)


def _usual(account: Account) -> Relation:
    """The strongest relation under which all that was spent can be told."""
    from shoal.dp.accounting.relation import Neighbors, common, relation_of

    return common([spending.cost.relation for spending in account.spendings]) or relation_of(Neighbors.ADD_REMOVE)


def _as_json(account: Account) -> dict[str, Any]:
    from shoal.dp.ledger.account import Unbounded, as_dict

    spent = account.totals()
    limits = []
    for limit in account.binding:
        left = account.left(limit)
        limits.append(as_dict(limit) | {"left": None if isinstance(left, Unbounded) else as_dict(left)})
    return {
        "spent": [as_dict(cost) for cost in spent if not isinstance(cost, Unbounded)],
        "unbounded": [cost.to_dict() for cost in spent if isinstance(cost, Unbounded)],
        "limits": limits,
        "releases": [spending.to_dict() for spending in account.spendings],
        "raises": [as_dict(each.limit) | {"at": each.at} for each in account.raises],
    }


_WIDEST = 80
"""A line of the terminal that everybody has."""


def _print(account: Account, folder: Path, *, is_named: bool) -> None:
    """The account, in the books of a folder; `is_named` if the owner said where they are."""
    from rich.console import Console
    from rich.table import Table

    from shoal.dp.accounting.cost import shown
    from shoal.dp.ledger.account import Unbounded

    console = Console(markup=False, emoji=False, highlight=False)
    console.width = min(console.width, _WIDEST)
    if not account.spendings:
        others = (
            "" if is_named else " A release file may name another: give it (.toml) in place of the data, or --store."
        )
        console.print(
            f"Nothing has been spent on this dataset according to the ledger in {folder}.{others}", soft_wrap=True
        )
    else:
        names = _names([spending.release for spending in account.spendings])
        table = Table("release", "day", "epsilon", "delta", "neighbors", box=None, pad_edge=False)
        for spending, name in zip(account.spendings, names, strict=True):
            cost, relation = spending.cost, str(spending.cost.relation)
            if spending.released_at is None:
                relation += "\nnot confirmed; spent all the same"
            table.add_row(name, _day(spending.reserved_at), shown(cost.epsilon), shown(cost.delta), relation)
        console.print(table)
        console.print()
    for total in account.totals():
        sentence = f"No total: {total}" if isinstance(total, Unbounded) else f"Spent in total: {total}"
        console.print(f"{sentence.rstrip('.')}.")
    for event in account.raises:
        console.print(f"Limit set by its owner on {_day(event.at)}: {event.limit}.")
    for limit in account.binding:
        left = account.left(limit)
        if isinstance(left, Unbounded):
            sentence = f"it does not hold, {left}".rstrip(".")
        else:
            sentence = f"left are epsilon = {shown(left.epsilon, down=True)}, delta = {shown(left.delta, down=True)}"
        console.print(f"The limit is {limit}; {sentence}.")


def _names(releases: list[str]) -> list[str]:
    """What releases are called: the names of their folders, with those above where two are called alike."""
    parts = [PurePath(release).parts or (release,) for release in releases]
    longest = max(map(len, parts))
    depth = next((d for d in range(1, longest) if len({p[-d:] for p in parts}) == len(set(parts))), longest)
    return [str(PurePath(*of[-depth:])) for of in parts]


def _day(moment: str) -> str:
    """The day of a moment as the books have it."""
    return moment.partition("T")[0]
