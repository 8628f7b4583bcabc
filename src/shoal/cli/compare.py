"""shoal compare."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.console import emit, errors_as_exit_codes, progress_bar

_WRITTEN = ("trials.jsonl", "figures.csv", "figures.parquet", "comparison.html")


def compare(  # noqa: PLR0917  typer reads options from the signature
    plan: Annotated[Path, typer.Argument(metavar="RELEASE.TOML", help="The release file to start from.")],
    methods: Annotated[str, typer.Option("--methods", help="Names of methods, with commas between, or all.")] = "",
    grid: Annotated[
        list[str] | None, typer.Option("--grid", help="A parameter and its values: epsilon=0.5,1,2. May be repeated.")
    ] = None,
    target: Annotated[str | None, typer.Option("--target", help="A column that a classifier predicts.")] = None,
    learner: Annotated[str, typer.Option("--learner", help="Which classifier.")] = "c4.5",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where the figures go.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="How many at once; all cores if not given.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an earlier comparison was left.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures for machines.")] = False,
) -> None:
    """Make several releases of one table and compare what they cost, what risk is left, what they are good for.

    All of it is computed from the original and for the owner's eyes only. Nothing is published, and no budget is
    charged; but a release chosen by these figures was chosen by the original.

    Without --methods and --grid every method is tried with the settings of the release file, each as far as it has
    them, and a sentence says for each need which one meets it best.

    Example: shoal compare release.toml

    Example: shoal compare release.toml --methods optimal-lattice,mondrian --grid k=3,5,10
    """
    with errors_as_exit_codes(as_json=as_json):
        from shoal.compare import baseline, default_target, noted, parse_grid, recommended, run, trials
        from shoal.compare.grid import ALL
        from shoal.errors import ParameterError, nearest
        from shoal.evaluate import LEARNERS
        from shoal.files.folders import named_folder
        from shoal.pages.compare import NOT_PRIVATE, page
        from shoal.plan.plan import Plan, method_table

        loaded = Plan.load(plan)
        if learner not in LEARNERS:
            raise ParameterError(f"{learner!r} is no learner; expected one of {', '.join(LEARNERS)}."
                                 f"{nearest(learner, list(LEARNERS))}")  # fmt: skip
        if target is not None:
            loaded.schema[target]  # refuses a column that is not there
        wanted = parse_grid(grid or [])
        asked = [name.strip() for name in methods.split(",") if name.strip()] or ([] if wanted else [ALL])
        some = trials(method_table(plan), loaded.schema, asked, wanted)
        default = loaded.output.with_name(f"{loaded.output.name}-comparison-owner")
        where = _opened(named_folder(default if output is None else output), resume=resume, force=force)
        with progress_bar() as progress:
            rows = run(plan, some, where, progress, target=target or default_target(loaded), learner=learner, jobs=jobs)
        labels = [trial.changed(list(wanted)) for trial in some]
        notes = noted(some)
        advice = recommended(rows, labels)
        _write(where, rows, page(rows, labels, notes, advice))
        if as_json:
            told = {"comparison": str(where), "releases": rows, "original": baseline(rows)}
            emit({**told, "recommended": advice, "notes": notes})
        else:
            typer.echo(_summary(rows, labels, notes))
            typer.echo("\n".join([_predicted(rows, learner), *advice]))
            typer.echo(f"\n{NOT_PRIVATE}\n\ncomparison (must not be published): {where / 'comparison.html'}")


def _predicted(rows: list[dict[str, Any]], learner: str) -> str:
    """What the classifier predicts, and what it reaches without any features: the least that is worth having."""
    row = next((row for row in rows if row.get("predicted")), None)
    if row is None:
        return ""
    return (
        f"accuracy: of a {learner} classifier that predicts {row['predicted']}; the most frequent value alone has "
        f"{row['accuracy_trivial']:.1%}, the original {row['accuracy_original']:.1%}\n"
    )


def _opened(where: Path, *, resume: bool, force: bool) -> Path:
    """The folder to write to: new, or one that a comparison has left, to be gone on with or replaced."""
    import shutil

    from shoal.errors import OutputError
    from shoal.files.folders import explained, refuse_existing
    from shoal.files.owner_only import keep_for_owner, owners_folder

    try:
        if resume and (where / "trials.jsonl").is_file():
            keep_for_owner(where)
            return where
        if where.exists() and not force:
            raise OutputError(
                f"{where} exists already and is not overwritten; choose another place with -o, or say --resume or "
                "--force."
            )
        refuse_existing({where: _WRITTEN}, force=force)
        if where.exists():
            shutil.rmtree(where)
        where.parent.mkdir(parents=True, exist_ok=True)
        owners_folder(where)
    except OSError as error:
        raise explained(error, where) from None
    return where


def _write(where: Path, rows: list[dict[str, Any]], html: str) -> None:
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    from shoal.files.owner_only import owners_file, write_for_owner

    keys = dict.fromkeys(key for row in rows for key in row)
    table = pa.table({key: _column([row.get(key) for row in rows]) for key in keys})
    pc.write_csv(table, owners_file(where / "figures.csv"))
    pq.write_table(table, owners_file(where / "figures.parquet"))
    write_for_owner(where / "comparison.html", html)


def _column(values: list[Any]) -> Any:
    """Numbers as numbers; what varies in kind, as text."""
    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return pa.array(values, pa.float64() if float in kinds else pa.int64())
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def _summary(rows: list[dict[str, Any]], labels: list[str], notes: list[str]) -> str:
    """A table for the terminal."""
    from rich.console import Console
    from rich.table import Table

    from shoal.compare import about_found, baseline
    from shoal.pages.compare import ORIGINAL

    shown = {
        "query_error": "query error",
        "moved": "moved",
        "accuracy": "accuracy",
        "auc": "AUC",
        "linked": "found",
        "left_out": "left out",
        "seconds": "seconds",
    }
    table = Table("release", *shown.values(), box=None, pad_edge=False)
    if original := baseline(rows):
        table.add_row(ORIGINAL, *(_number(key, original.get(key)) for key in shown))
    for row, label in zip(rows, labels, strict=True):
        if "problem" not in row:
            table.add_row(label, *(_bounded(key, row) + _number(key, row.get(key)) for key in shown))
    failed = [
        f"{label} could not be made: {row['problem']}"
        for row, label in zip(rows, labels, strict=True)
        if "problem" in row
    ]
    console = Console(width=110, no_color=True)
    with console.capture() as captured:
        console.print(table)
    said = [*about_found(rows, labels), *notes]
    return "\n".join([captured.get().rstrip(), *failed, *(f"note: {note}." for note in said)])


def _bounded(key: str, row: dict[str, Any]) -> str:
    """Where nobody can say whose record is whose, what is found is a bound; where a column is left out, the least."""
    if key != "linked" or row.get("linked") is None:
        return ""
    return "≥ " if row.get("linked_is_least") else "≤ " if row.get("linked_is_bound") else ""


def _number(key: str, value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if key == "seconds" else f"{value:.1%}"
