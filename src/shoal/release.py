"""Release: the published table, what is promised about it, and, for the owner, what it cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.outcome import Outcome
from shoal.progress import Progress, silent
from shoal.promises.certificate import Certificate

if TYPE_CHECKING:
    from shoal.pages.report import Report


@dataclass(frozen=True, slots=True, eq=False)
class OwnerFacts:
    """What the release cost, computed from the original: for the owner's eyes only.

    Attributes:
        records: Records of the original.
        suppressed: Records that were left out.
        losses: What was lost, by the name of each quality model.
        optimized: The quality model the method worked for, if it works for one.
        class_sizes: How many published classes there are of each size.
        columns: Per published column: name, role, how it was recoded, distinct values before and after.
        search: How the recoding was found.
        failure: What went wrong, if the run failed and therefore published nothing.
    """

    records: int
    suppressed: int
    losses: Mapping[str, float]
    optimized: str | None
    class_sizes: Mapping[int, int]
    columns: tuple[Mapping[str, Any], ...]
    search: Mapping[str, object] = field(default_factory=dict)
    failure: str = ""


@dataclass(frozen=True, eq=False)
class Release:
    """The published table and everything that goes with it.

    Example:
        >>> import pandas as pd, shoal
        >>> people = pd.DataFrame({"age": [31, 33, 38, 52, 55, 57], "town": ["A", "A", "B", "B", "B", "B"]})
        >>> schema = shoal.Schema.infer(people).with_column("age", hierarchy=shoal.intervals(10, 20))
        >>> release = shoal.OptimalLattice(k=2).anonymize(people, schema)
        >>> print(release.certificate.guarantees[0])
        2-anonymous: every record shares its quasi-identifiers with at least 1 others (verified)
    """

    certificate: Certificate
    facts: OwnerFacts
    recoding: Recoder
    outcome: Outcome = field(repr=False)
    """What the method decided, and the original it decided about: for the owner's eyes only."""
    materialize: Callable[[], Any] = field(repr=False)
    count_groups: Callable[[], Any] = field(repr=False)
    write_groups: Callable[[Path], None] = field(repr=False)
    """Write `groups` to a file, CSV or Parquet by its ending."""
    writer: Callable[[Path, Progress], int] = field(repr=False)
    is_paid: bool = False
    """Whether it was paid for from a budget: then only what is released may be told of it."""
    needs: str = ""
    """What it takes for records to be published, by what is public: told where none are."""

    @property
    def counts_are_noisy(self) -> bool:
        """Whether published records stand for noisy numbers, so that none of the original is there or left out."""
        is_private = any(guarantee.neighbors is not None for guarantee in self.certificate.guarantees)
        return is_private and self.outcome.classes is None and self.outcome.sources is None

    @property
    def target(self) -> str | None:
        """The column that the release is meant to predict, if the method has one."""
        target: str | None = self.certificate.parameters.get("target")
        return target

    @cached_property
    def data(self) -> Any:
        """The published table, of the kind that came in."""
        return self.materialize()

    @cached_property
    def groups(self) -> Any:
        """The distinct published records with a last column `count`: the same content as `data`, one row per group."""
        return self.count_groups()

    def write_data(self, path: str | Path, progress: Progress = silent) -> int:
        """Write the published table to a file, CSV or Parquet by its ending; the number of records written."""
        return self.writer(Path(path), progress)

    def report(self) -> Report:
        """What it cost: for the owner's eyes only. Shows itself in a notebook; `.save("report.html")`."""
        from shoal.pages.report import Report

        return Report(self)


@dataclass(frozen=True, slots=True)
class Recoder:
    """The recoding of a release, for other records such as a test set."""

    recode: Callable[[Any], Any] = field(repr=False)
    levels: Mapping[str, int] = field(default_factory=dict)
    """The level of each quasi-identifier, where the recoding is one of levels."""

    def apply(self, frame: Any) -> Any:
        """Recode the quasi-identifiers of another table in the same way; other columns stay as they are.

        Identifiers too: this is for a test set that its owner keeps, and what comes out is not a release.
        """
        return self.recode(frame)
