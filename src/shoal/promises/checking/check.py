"""From the folder of a release to what holds of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shoal.data.encoded import EncodedTable
from shoal.data.schema import Role
from shoal.engines.lazy.addresses import Address
from shoal.engines.lazy.databases import fetched
from shoal.errors import DataError, ShoalError
from shoal.progress import Progress, silent
from shoal.promises.certificate import Certificate
from shoal.promises.checking.consistency import Claims, claims_of, require_derived
from shoal.promises.checking.groups_file import require_same_groups
from shoal.promises.checking.published_files import PublishedFiles, published_files
from shoal.promises.checking.published_table import read_table, values_alike
from shoal.promises.guarantee import Basis, Guarantee
from shoal.promises.verify import Verdict, verify

UNSIGNED = (
    "it is not known who made the certificate: without its publisher's public key (--key) one that was edited together "
    "with the files cannot be told from the original"
)
TEST_RUN = "a test run with seeded coins, or a certificate that promises nothing: it protects nobody"


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found out about a release.

    Attributes:
        certificate: What it says.
        verdicts: How the published table stands to each promise that can be verified.
        quasi_identifiers: The columns by which it was judged who looks like whom.
        sensitive: The columns whose values are to be protected.
        noisy: The columns that were changed by chance, and were not looked at.
        keyed: Identifiers of which pseudonyms are published, which say nothing without their owner's key.
        passed: The columns that are published as they were, and were not looked at.
        is_test_run: Whether it was made with seeded coins: then nobody is protected.
        signed_by: The fingerprint of the key that the certificate was found to be signed with.
        notes: What else whoever relies on it should know.
    """

    certificate: Certificate
    verdicts: tuple[Verdict, ...]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    noisy: tuple[str, ...]
    keyed: tuple[str, ...]
    passed: tuple[str, ...]
    is_test_run: bool
    signed_by: str | None
    notes: tuple[str, ...]

    @property
    def unchecked(self) -> tuple[Guarantee, ...]:
        """What is promised about how the table was made, which no file shows."""
        return tuple(guarantee for guarantee in self.certificate.guarantees if guarantee.basis is not Basis.VERIFIED)

    @property
    def holds(self) -> bool:
        """Whether every promise that can be verified holds, and there is one to rely on."""
        return not self.is_test_run and all(verdict.holds for verdict in self.verdicts)


def check_release(
    folder: Path, progress: Progress = silent, *, key: Path | None = None, table: Address | None = None
) -> Checked:
    """Check again, from the published files alone, whatever a release promises that can be verified.

    Args:
        folder: The folder of the release.
        progress: Told how far reading has come.
        key: The file of its publisher's public key; the certificate must be signed with it.
        table: Where its records are, if they are in a table of a database.

    Raises:
        DataError: The files, or what the certificate says, do not belong together.
    """
    if table is not None:
        with fetched(table) as data:
            return _checked(published_files(folder, data, table.table), progress, key)
    return _checked(published_files(folder), progress, key)


def _checked(files: PublishedFiles, progress: Progress, key: Path | None) -> Checked:
    signed_by = files.require_signature(key) if key is not None else None
    files.require_whole()
    claims = claims_of(files.certificate, files.where)
    table = _table(files, claims, progress)
    try:
        notes = require_derived(claims, table, files.where)
        verdicts = _verdicts(files, claims, table)
    except ShoalError as error:
        raise error if isinstance(error, DataError) else DataError(f"{files.where}: {error}") from None
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
        raise claims.damaged(files.where) from None
    if files.groups is not None:
        passed, is_marked = claims.names(Role.INSENSITIVE, Role.KEYED), claims.certificate.spreadsheet_safe
        require_same_groups(files.data, files.groups, passed, progress, is_marked=is_marked)
    return Checked(
        certificate=files.certificate,
        verdicts=tuple(verdicts),
        quasi_identifiers=claims.names(Role.QUASI_IDENTIFIER),
        sensitive=claims.names(Role.SENSITIVE),
        noisy=claims.names(Role.PERTURBED),
        keyed=claims.names(Role.KEYED),
        passed=claims.names(Role.INSENSITIVE),
        is_test_run=claims.is_test_run,
        signed_by=signed_by,
        notes=(
            *([TEST_RUN] if claims.is_test_run else []),
            *notes,
            *files.notes(is_signed=signed_by is not None),
            *values_alike(table, claims.criteria),
            *([] if signed_by else [UNSIGNED]),
        ),
    )


def _table(files: PublishedFiles, claims: Claims, progress: Progress) -> EncodedTable:
    table = read_table(files.data, claims, files.where, progress)
    if table.total != files.certificate.records:
        raise DataError(
            f"{files.data} has {table.total:,} records where the certificate says {files.certificate.records:,}; the "
            "two do not belong together."
        )
    return table


def _verdicts(files: PublishedFiles, claims: Claims, table: EncodedTable) -> list[Verdict]:
    """How the table stands to what is promised, and whether it reaches what is said; nobody is in an empty table."""
    if table.total == 0:
        return [Verdict(criterion, reached, holds=True) for criterion, reached in claims.criteria]
    criteria = [criterion for criterion, _ in claims.criteria]
    for criterion in criteria:
        criterion.check(table)
    verdicts = verify(table, table.counts, criteria, table.persons)
    for verdict, (_, claimed) in zip(verdicts, claims.criteria, strict=True):
        if verdict.holds and not abs(verdict.reached - claimed) <= 1e-9 * max(1.0, abs(claimed)):
            raise DataError(
                f"{files.data} reaches {verdict.reached:.6g} where the certificate says {claimed:.6g} "
                f"({verdict.criterion.statement}); the two do not belong together."
            )
    return verdicts
