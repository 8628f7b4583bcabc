"""Release: the published table, what is promised about it, and, for the owner, what it cost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias

from shoal.data.outcome import Outcome
from shoal.data.recoding import FullDomain
from shoal.dp.accounting.relation import Neighbors
from shoal.errors import ParameterError
from shoal.facts import OwnerFacts, owner_facts
from shoal.progress import Progress, silent
from shoal.promises.about import About
from shoal.promises.certificate import Certificate
from shoal.quality import QualityModel

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from shoal.data.schema import Schema
    from shoal.engines.base import Engine
    from shoal.pages.report import Report

    F = TypeVar("F", default=Any)
    """The kind of frame that came in."""
else:
    from typing import TypeVar

    F = TypeVar("F")


Native: TypeAlias = Callable[[Any, Collection[str]], F]


@dataclass(frozen=True, slots=True, eq=False)
class Rows(Generic[F]):
    """How a decision becomes rows: the table it is about, where that is, and the kind of frame that came in."""

    engine: Engine
    schema: Schema
    outcome: Outcome
    native: Native[F]
    """Makes such a frame of an Arrow table; also told the columns whose type must not show how they came."""

    def frame(self) -> F:
        """The published table."""
        return self.native(self.engine.frame(self.schema, self.outcome), self.outcome.table.covered)

    def groups(self) -> F:
        """The distinct published records with their counts."""
        return self.native(self.engine.groups(self.schema, self.outcome), self.outcome.table.covered)

    def write(self, path: Path, progress: Progress) -> int:
        """Write the published table to a file; the number of records written."""
        return self.engine.write(self.schema, self.outcome, path, progress)

    def write_groups(self, path: Path) -> None:
        """Write the distinct published records with their counts to a file."""
        self.engine.write_groups(self.schema, self.outcome, path)


@dataclass(frozen=True, eq=False)
class Release(Generic[F]):
    """The published table and everything that goes with it.

    It holds the original too, and so does a pickle of it: keep both as you keep the original. What may go out is
    `data`, `groups`, `certificate`, and what `write` puts into the folder you name.

    Example:
        >>> import pandas as pd, shoal
        >>> people = pd.DataFrame({"age": [31, 33, 38, 52, 55, 57], "town": ["A", "A", "B", "B", "B", "B"]})
        >>> schema = shoal.Schema.infer(people).with_column("age", hierarchy=shoal.intervals(10, 20))
        >>> release = shoal.OptimalLattice(k=2).anonymize(people, schema)
        >>> print(release.certificate.guarantees[0])
        2-anonymous: every record shares its quasi-identifiers with at least 1 other (verified)
    """

    certificate: Certificate
    rows: Rows[F] = field(repr=False)
    """How what was decided becomes rows."""
    is_paid: bool = False
    """Whether it was paid for from a budget: then only what is released may be told of it."""
    needs: str = ""
    """What it takes for records to be published, by what is public: told where none are."""
    quality: QualityModel | None = None
    """The quality model that the method worked for, if it works for one."""
    failure: str = ""
    """What went wrong, if the run failed and therefore published nothing: for the owner's eyes only."""

    @property
    def outcome(self) -> Outcome:
        """What the method decided, and the original it decided about: for the owner's eyes only."""
        return self.rows.outcome

    @property
    def counts_are_noisy(self) -> bool:
        """Whether published records stand for noisy numbers, so that none of the original is there or left out."""
        is_private = any(guarantee.neighbors is not None for guarantee in self.certificate.guarantees)
        return is_private and self.outcome.classes is None and self.outcome.sources is None

    @property
    def is_drawn(self) -> bool:
        """Whether chance decides which records are published, so that nobody can say which of them is whose."""
        whole = (Neighbors.ADD_REMOVE, Neighbors.REPLACE)  # noise on some columns leaves records where they are
        is_private = any(guarantee.neighbors in whole for guarantee in self.certificate.guarantees)
        is_test = self.certificate.seeded and self.outcome.classes is None and self.outcome.sources is None
        return is_private or is_test

    @property
    def target(self) -> str | None:
        """The column that the release is meant to predict, if the method has one."""
        target: str | None = self.certificate.parameters.get("target")
        return target

    @cached_property
    def facts(self) -> OwnerFacts:
        """What it cost, computed from the original: for the owner's eyes only."""
        return owner_facts(self.outcome, self.quality, self.failure)

    @cached_property
    def data(self) -> F:
        """The published table, of the kind that came in."""
        return self.rows.frame()

    @cached_property
    def groups(self) -> F:
        """The distinct published records with a last column `count`: the same content as `data`, one row per group."""
        return self.rows.groups()

    def described(self, *, title: str = "", owner: str = "", contact: str = "") -> Release[F]:
        """The same release with what you say about it: on its report, in its certificate, in the recipients' README.

        Args:
            title: What it is called.
            owner: Who makes it and answers for it.
            contact: Whom to ask.
        """
        return self.with_about(About(title, owner, contact))

    def with_about(self, about: About) -> Release[F]:
        """The same release with what a release file says about it; what was computed of it stays computed."""
        release = replace(self, certificate=replace(self.certificate, about=about))
        vars(release).update({name: value for name, value in vars(self).items() if name not in vars(release)})
        return release

    @property
    def recoding(self) -> Recoder:
        """The recoding, for other records such as a test set."""
        return Recoder(self.rows)

    def write(
        self,
        folder: str | Path,
        format: Literal["csv", "parquet", "xlsx", "sav", "dta"] = "csv",  # noqa: A002  as the release file calls it
        *,
        groups: bool = False,
        spreadsheet_safe: bool = False,
        metadata: Sequence[str] = (),
        sign: str | Path | None = None,
        force: bool = False,
    ) -> Certificate:
        """Write the release as `shoal run` does, whole or not at all; its certificate, with the digests of the files.

        What is written into `folder` may be published. Beside it a folder ending in `-owner` appears that only you can
        enter, with the report, which must not be.

        Args:
            folder: Where to; nothing that is there is overwritten.
            format: Of the data.
            groups: Whether the distinct published records are written too, with their counts.
            spreadsheet_safe: Whether texts of a CSV file that a spreadsheet program could run get an apostrophe.
            metadata: Which descriptions for other programs are written too: `datapackage` (Frictionless), `csvw` (CSV
                on the Web, of CSV files), `prov` (provenance).
            sign: The private key to sign with; `shoal key new` makes one.
            force: Whether an earlier release in the same place is replaced.
        """
        from shoal.promises.folder import write_folders

        return write_folders(
            self,
            Path(folder),
            format,
            groups=groups,
            spreadsheet_safe=spreadsheet_safe,
            metadata=metadata,
            sign=sign,
            force=force,
        )

    def write_data(self, path: str | Path, progress: Progress = silent) -> int:
        """Write the published table to a file, CSV or Parquet by its ending; the number of records written."""
        return self.rows.write(Path(path), progress)

    def write_groups(self, path: str | Path) -> None:
        """Write `groups` to a file, CSV or Parquet by its ending."""
        self.rows.write_groups(Path(path))

    def report(self, *, examples: bool = True) -> Report:
        """What it cost: for the owner's eyes only. Shows itself in a notebook; `.save("report.html")`.

        Args:
            examples: Whether it shows ten records of the original and what became of them; leave them out if it goes
                to people who may not see records.
        """
        return self._reported if examples else self._reported.without_examples()

    @cached_property
    def _reported(self) -> Report:
        """What is measured for a report is measured once."""
        from shoal.pages.report import Report

        return Report(self)

    def _repr_html_(self) -> str:
        return self.certificate._repr_html_()


@dataclass(frozen=True, slots=True)
class Recoder:
    """The recoding of a release, for other records such as a test set."""

    rows: Rows = field(repr=False)

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each quasi-identifier, where the recoding is one of levels."""
        recoding = self.rows.outcome.recoding
        return recoding.levels if isinstance(recoding, FullDomain) else {}

    def apply(self, frame: F) -> F:
        """Recode the quasi-identifiers of another table in the same way; identifiers and dropped columns are left out.

        Other columns stay as they are: it is for a test set that its owner keeps, and what comes out is no release.
        """
        from shoal.engines.reading.source import frame_source
        from shoal.engines.writing.publishing import recode

        outcome, engine = self.rows.outcome, self.rows.engine
        if outcome.recoding is None:
            raise ParameterError(
                "this release recodes records together with others, not value by value, so its recoding cannot be "
                "applied to other records; a full-domain method or a cut can."
            )
        source, native = frame_source(frame)
        hidden = frozenset(column.name for column in self.rows.schema if not column.role.is_published)
        recoded: F = native(
            recode(source, outcome.table, outcome.recoding, engine.missing, hidden), outcome.table.covered
        )
        return recoded
