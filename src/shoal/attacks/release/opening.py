"""What an attack is made of: a release as published, its original, and people who are not in it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shoal.arrays import Keys
from shoal.attacks.nearest import recoded_alike
from shoal.data.counts import Counts
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.schema import Role
from shoal.engines.codes.persons import Beside, with_persons
from shoal.engines.codes.reading_back import read_back
from shoal.engines.codes.row_codes import UNKNOWN, row_codes, row_persons
from shoal.engines.lazy.addresses import Address
from shoal.engines.lazy.databases import fetched
from shoal.engines.reading.published_source import published_rows
from shoal.engines.reading.source import Source, open_source
from shoal.errors import DataError, ParameterError, ShoalError
from shoal.files.folders import named_folder
from shoal.methods import NSVDist
from shoal.pipeline import absorbed, encoded
from shoal.plan.plan import Plan
from shoal.progress import Progress, silent
from shoal.promises.certificate import Certificate
from shoal.promises.checking import PublishedFiles, published_files


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """A release read back from its published files, over its original; for the owner only.

    Attributes:
        folder: The release.
        plan: The release file it was made by.
        certificate: What it promises.
        data: Where the original is.
        original: Its rows.
        outcome: What a reader of it sees, over the codes of the original.
    """

    folder: Path
    plan: Plan
    certificate: Certificate
    data: Path | Address
    original: Source
    outcome: Outcome

    @property
    def known(self) -> tuple[str, ...]:
        """What others may know of a person: the quasi-identifiers of the release file, whatever became of them."""
        return self._published(Role.QUASI_IDENTIFIER)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What others want to know: sensitive columns, or else what the release is meant to predict."""
        target = self.certificate.parameters.get("target")
        return self._published(Role.SENSITIVE) or ((target,) if target in self.outcome.published.names else ())

    @property
    def has_overlaps(self) -> bool:
        """Whether published records tell the distributions of sets of people that may share members."""
        return self.plan.method.needs_overlap_audit

    def rows(self, names: tuple[str, ...]) -> dict[str, Keys]:
        """Some columns of the original, person by person, in the codes of this release."""
        return row_codes(self.original, self.outcome.table, names, self.plan.data.missing)

    def _published(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name in self.plan.schema.names(role) if name in self.outcome.published.names)


def open_attacked(
    release: Path, original: Path | None = None, plan: Path | None = None, progress: Progress = silent
) -> Attacked:
    """Read a release back.

    Args:
        release: Its folder, or its release file: then the folder is the one it names.
        original: The table it was made from; the one that the release file names, if `release` is such a file.
        plan: The release file; the one that `shoal run` has left for the owner beside the release, if not given.
        progress: Told how far reading has come.

    Raises:
        ShoalError: They do not belong together, or are not there.
    """
    table: Path | Address
    if release.suffix == ".toml":
        loaded = Plan.load(release)
        folder, table = loaded.output, original or loaded.data.path
    else:
        folder = named_folder(release)
        if original is None:
            raise ParameterError(
                f"an attack on {release} needs its original; name it with --original, or give the release file."
            )
        table = original
        published_files(folder)  # whether it is a release at all comes first
        loaded = _plan_beside(folder, original, plan)
    with ExitStack() as stack:
        data = None
        if loaded.table is not None and isinstance(loaded.data.path, Address):
            data = stack.enter_context(fetched(replace(loaded.data.path, table=loaded.table, query=None)))
        return _opened(published_files(folder, data, loaded.table), loaded, table, progress)


def _opened(files: PublishedFiles, loaded: Plan, table: Path | Address, progress: Progress) -> Attacked:
    folder, certificate = files.folder, files.certificate
    if certificate.method != loaded.method.name:
        raise DataError(
            f"{folder} was made with {certificate.method}, and the release file says {loaded.method.name}; give the "
            "one it was made by with --plan."
        )
    engine = loaded.data.engine(table, absorb=absorbed(loaded.method))
    schema = replace(loaded.schema, pseudonym=False)  # pseudonyms were drawn, and nobody knows whose are whose
    coded = encoded(engine, schema, loaded.method, progress, draws=False)
    whole = certificate.parameters.get("k") if certificate.method == NSVDist.name else None
    outcome = read_back(published_rows(files.data), coded, certificate.columns, whole=whole)
    outcome = replace(outcome, is_made_up=certificate.parameters.get("records") == "made up")
    found = Attacked(folder, loaded, certificate, table, engine, outcome)
    _require_original(found)
    return found


def _plan_beside(folder: Path, original: Path, plan: Path | None) -> Plan:
    """The release file, by itself or as `shoal run` has copied it: its paths are those of where it came from."""
    if plan is not None:
        return Plan.load(plan)
    copy = folder.with_name(f"{folder.name}-owner") / "release.toml"
    if not copy.is_file():
        raise DataError(
            f"{copy} is not there, which `shoal run` leaves for the owner; give the release file with --plan."
        )
    problem: ShoalError | None = None
    for base in dict.fromkeys((folder.resolve().parent, original.resolve().parent, Path.cwd())):
        try:
            return Plan.load(copy, base)
        except ShoalError as error:  # a file that it names is not there
            problem = problem or error
    raise DataError(f"{problem} Give the release file as it was run with --plan.")


def _require_original(attacked: Attacked) -> None:
    """Refuse what cannot be a release of this original."""
    outcome, certificate = attacked.outcome, attacked.certificate
    if outcome.table.total == 0:
        raise DataError(f"{attacked.original.where} has no records; give the table that the release was made from.")
    if outcome.published.kept != certificate.records:
        raise DataError(
            f"{attacked.folder} has {outcome.published.kept:,} records where its certificate says "
            f"{certificate.records:,}; the two do not belong together."
        )
    is_larger = attacked.plan.method.cost is None and certificate.records > outcome.table.total
    if outcome.recoding is not None and not is_larger:
        _, there, kept = recoded_alike(outcome)
        is_larger = bool((kept > there).any())
    if is_larger:
        raise DataError(
            f"{attacked.folder} has records that {attacked.original.where} cannot have become; it was made from "
            "another table."
        )


def control_group(attacked: Attacked, path: Path) -> tuple[EncodedTable, int]:
    """People who are not in the table, in its codes, and how many were left out: domains do not hold their values.

    Where a person may have several records, and their column is there, they are told apart by it.
    """
    data = attacked.plan.data
    source = open_source(path, data.layout)
    if isinstance(attacked.data, Path) and path.resolve() == attacked.data.resolve():
        raise DataError(f"{path} is the original itself; a control group are people who are not in it.")
    table = attacked.outcome.table
    names = table.counts.names
    rows = row_codes(source, table, names, data.missing)
    known = np.all([rows[name] > UNKNOWN for name in names], axis=0)
    if not known.any():
        raise DataError(f"{path} has no person whose values are all in the domains of the original.")
    codes, lost = [rows[name][known] for name in names], int((~known).sum())
    column = attacked.plan.schema.unit_column
    if table.persons is None or column is None or column not in source.types():
        return EncodedTable(table.attributes, Counts.of(names, codes, table.counts.cardinalities)), lost
    each = Counts(names, tuple(codes), table.counts.cardinalities, np.ones(len(codes[0]), dtype=np.int64))
    persons = row_persons(source, column, data.missing)[known]
    alone = EncodedTable(table.attributes, each)
    coded = with_persons(alone, Beside(persons), attacked.plan.schema, may_refuse=False)
    return coded, lost
