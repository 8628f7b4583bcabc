"""Release: the published table, what is promised about it, and, for the owner, what it cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.certificate_json import NUMBER_SAID, counted, read_json, texts_of, typed
from shoal.data.outcome import Outcome
from shoal.dp import statements
from shoal.dp.guarantee import Basis, Guarantee, Neighbors, PrivacyCost, Relation
from shoal.errors import DataError
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    from shoal.report import Report

CERTIFICATE = "certificate.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is promised about a release, on what basis, under which assumptions. Safe to publish.

    Attributes:
        method: The name of the method.
        parameters: Its parameters.
        guarantees: What is promised.
        criteria: What can be checked again from the published table: name, parameters and the value reached.
        columns: The published columns: name, role, and how they were recoded.
        records: How many records are published.
        reading: How the published values are to be read.
        findings: What audits found out about the release, in sentences.
        seeded: Whether it was a test run, its coins made from a seed: then nothing is promised, and nothing to check.
        version: The version of Shoal that made the release.
        files: The digest of every other file of the release, by name; empty until `shoal run` has written them.
    """

    method: str
    parameters: Mapping[str, Any]
    guarantees: tuple[Guarantee, ...]
    criteria: tuple[Mapping[str, Any], ...]
    columns: tuple[Mapping[str, Any], ...]
    records: int
    version: str
    reading: str = ""
    findings: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    seeded: bool = False

    @property
    def promised(self) -> tuple[str, ...]:
        """What is promised, in sentences; of a test run that it is one."""
        return (statements.seeded(),) if self.seeded else tuple(str(guarantee) for guarantee in self.guarantees)

    def __str__(self) -> str:
        lines = [f"{self.records:,} records, anonymized with {self.method}."]
        lines += [f"- {text}" for text in self.promised]
        assumptions = list(dict.fromkeys(text for guarantee in self.guarantees for text in guarantee.assumptions))
        if assumptions:
            lines += ["This takes for granted:", *(f"- {text}" for text in assumptions)]
        if self.findings:
            lines += ["What was found out about it:", *(f"- {text}" for text in self.findings)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As it stands in `certificate.json`."""
        return {
            "format": _FORMAT,
            "shoal": self.version,
            "method": {"name": self.method, "parameters": dict(self.parameters)},
            "guarantees": [guarantee.to_dict() for guarantee in self.guarantees],
            "criteria": [dict(criterion) for criterion in self.criteria],
            "columns": [dict(column) for column in self.columns],
            "records": self.records,
            "reading": self.reading,
            "findings": list(self.findings),
            "seeded": self.seeded,
        } | ({"files": dict(self.files)} if self.files else {})

    def to_json(self) -> str:
        """As text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @staticmethod
    def load(path: Path) -> Certificate:
        """Read a certificate back."""
        try:
            return Certificate.read(path.read_bytes(), path)
        except FileNotFoundError:
            raise DataError(f"{path} does not exist; expected the folder of a release made by `shoal run`.") from None
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise DataError(f"{path} cannot be read ({reason}); expected the certificate of a release.") from None

    @staticmethod
    def read(content: bytes, path: Path) -> Certificate:
        """A certificate from its bytes; `path` is for messages. Whatever is not as Shoal writes it is refused."""
        try:
            said = typed(read_json(content), dict)
            if said["format"] != _FORMAT:
                raise DataError(
                    f"{path} has format {said['format']!r}; this version of Shoal reads {_FORMAT}. Update Shoal."
                )
            method = typed(said["method"], dict)
            return Certificate(
                method=typed(method["name"], str),
                parameters=typed(method["parameters"], dict),
                guarantees=tuple(_guarantee(typed(part, dict)) for part in typed(said["guarantees"], list)),
                criteria=tuple(typed(part, dict) for part in typed(said["criteria"], list)),
                columns=tuple(typed(part, dict) for part in typed(said["columns"], list)),
                records=counted(said["records"]),
                version=typed(said["shoal"], str),
                reading=typed(said.get("reading", ""), str),
                findings=texts_of(said.get("findings", [])),
                files={name: typed(digest, str) for name, digest in typed(said.get("files", {}), dict).items()},
                seeded=typed(said.get("seeded", False), bool),
            )
        except (ValueError, KeyError, TypeError, ArithmeticError, RecursionError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{path} is not a certificate of Shoal, or is damaged.") from None


def _guarantee(said: Mapping[str, Any]) -> Guarantee:
    neighbors = None if said["neighbors"] is None else Neighbors(said["neighbors"])
    cost = None
    if "epsilon" in said:
        numbers = [typed(said[name], str) for name in ("epsilon", "delta")]
        if neighbors is None or not all(NUMBER_SAID.fullmatch(number) for number in numbers):
            raise ValueError
        protected = frozenset(texts_of(said.get("protected", [])))
        cost = PrivacyCost.of(numbers[0], numbers[1], Relation(neighbors, protected))
    basis, assumptions = Basis(said["basis"]), texts_of(said["assumptions"])
    return Guarantee(typed(said["statement"], str), basis, assumptions, neighbors, cost)


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
        from shoal.report import Report

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
