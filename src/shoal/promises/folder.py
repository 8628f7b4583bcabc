"""The folder of a release: what `shoal run` writes for everybody, and what else must not stand there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.engines.writing.spreadsheets import has_formulas, mark_formulas
from shoal.errors import ParameterError
from shoal.files.folders import all_or_nothing, named_folder
from shoal.parameters.words import came
from shoal.plan.plan import FORMATS, METADATA
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.certificate import CERTIFICATE, Certificate
from shoal.promises.plain_words import BASES, plainly
from shoal.promises.signing import private_key
from shoal.release import Release

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

README = "README.md"
SIGNATURE = "certificate.sig"

PUBLISHED = (
    *(f"{what}.{form}" for what in ("data", "groups") for form in FORMATS),
    CERTIFICATE,
    SIGNATURE,
    README,
    *METADATA.values(),
)
"""Everything that may stand in the folder of a release."""

OWNERS = ("report.html", "release.toml")
"""Everything that may stand in the owner's folder beside it."""

_ALGORITHM = "sha256"
_CHUNK = 1 << 20


def owner_folder(release: Path) -> Path:
    """Where the owner's report goes: beside the release, never in it."""
    return release.with_name(f"{release.name}-owner")


def write_folders(
    release: Release,
    folder: Path,
    form: str,
    *,
    groups: bool = False,
    spreadsheet_safe: bool = False,
    metadata: Sequence[str] = (),
    sign: str | Path | None = None,
    force: bool = False,
) -> Certificate:
    """Write a release and its owner's folder, both whole or neither; its certificate, with the digests of the files."""
    if form not in FORMATS:
        raise ParameterError(f"format must be one of {', '.join(FORMATS)}; got {came(form)}.")
    if isinstance(metadata, str) or not set(metadata) <= set(METADATA) or ("csvw" in metadata and form != "csv"):
        raise ParameterError(
            f"metadata must be a list of {', '.join(METADATA)}, csvw with CSV files alone; got {came(metadata)}."
        )
    key = None if sign is None else private_key(Path(sign))
    where = named_folder(folder)
    targets = {where: PUBLISHED, owner_folder(where): OWNERS}
    with all_or_nothing(targets, force=force, owners=(owner_folder(where),)) as (published, owner):
        certificate = write_release(
            release, published, form, groups=groups, spreadsheet_safe=spreadsheet_safe, metadata=metadata, key=key
        )
        release.report().keep(owner / "report.html")
    return certificate


def write_release(
    release: Release,
    folder: Path,
    form: str,
    *,
    groups: bool = False,
    table: str | None = None,
    spreadsheet_safe: bool = False,
    metadata: Sequence[str] = (),
    key: Ed25519PrivateKey | None = None,
    progress: Progress = silent,
) -> Certificate:
    """Write all that is published of a release into an empty folder; its certificate, with the digests of the rest.

    Args:
        release: The release.
        folder: Where to.
        form: `csv` or `parquet`.
        groups: Whether the distinct published records are written too, with their counts.
        table: The table of a database that the records go to instead of a file.
        spreadsheet_safe: Whether texts of a CSV file that a spreadsheet program could run get an apostrophe.
        metadata: Which descriptions for other programs are written too, of `METADATA`.
        key: The private key to sign the certificate with, if it is to be signed.
        progress: Told how far writing has come.
    """
    written, certificate = [], release.certificate
    if table is None:
        written.append(folder / f"data.{form}")
        release.write_data(written[-1], progress)
    if groups:
        written.append(folder / f"groups.{form}")
        release.write_groups(written[-1])
    if form == "csv":
        certificate = _about_formulas(certificate, written, spreadsheet_safe=spreadsheet_safe)
    written.append(folder / README)
    written[-1].write_bytes(recipient_note(certificate, form, table).encode())
    if metadata:
        from shoal.promises.describing.metadata import write_metadata

        data = written[0] if table is None else None
        written += write_metadata(metadata, certificate, folder, data, digests(written))
    certificate = replace(certificate, files=digests(written))
    content = certificate.to_json().encode()
    (folder / CERTIFICATE).write_bytes(content)
    if key is not None:
        (folder / SIGNATURE).write_bytes(key.sign(content))
    return certificate


def _about_formulas(certificate: Certificate, written: Iterable[Path], *, spreadsheet_safe: bool) -> Certificate:
    """Mark texts that a spreadsheet program could run, if that is asked for; if not, say that there are some."""
    if spreadsheet_safe:
        for path in written:
            mark_formulas(path)
        return replace(certificate, spreadsheet_safe=True)
    if any(has_formulas(path) for path in written):
        return replace(certificate, findings=(*certificate.findings, statements.formulas()))
    return certificate


def digests(paths: Iterable[Path]) -> dict[str, str]:
    """What stands in a certificate about each file, by its name."""
    return {path.name: digest(path) for path in paths}


def digest(path: Path) -> str:
    """The SHA-256 of a file, as a certificate writes it."""
    found = hashlib.new(_ALGORITHM)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return f"{_ALGORITHM}:{found.hexdigest()}"


def recipient_note(certificate: Certificate, form: str, table: str | None = None) -> str:
    """The README that goes with a release: it says no more than the certificate."""
    promises = "\n".join(_with_plain_words(certificate))
    findings = _listed("What was found out about it:", certificate.findings)
    assumed = _listed("This takes for granted:", certificate.assumptions)
    is_alone = form == "csv" and len(certificate.columns) == 1
    missing = "A blank line is a record whose value is missing" if is_alone else "An empty cell is a missing value"
    data = f"`data.{form}`" if table is None else f"The table `{table}`"
    missing = missing if table is None else "NULL is a missing value"
    marked = f" {statements.marked()}" if certificate.spreadsheet_safe else ""
    return (
        f"# {certificate.about.title or 'An anonymized table'}\n\n{_made_by(certificate)}"
        f"{data} holds {certificate.records:,} records. "
        f"{certificate.reading} {missing}.{marked}\n\n"
        f"What is promised:\n\n{promises}\n\n{_bases(certificate)}{assumed}{findings}"
        "`certificate.json` says the same for machines; `shoal check` on this folder verifies again whatever can be "
        "verified from the data.\n"
    )


def _with_plain_words(certificate: Certificate) -> Iterator[str]:
    """Each promise, and what it means to somebody who has never heard of such promises."""
    if certificate.seeded:
        yield from (f"- {text}" for text in certificate.promised)
        return
    quasi = (column for column in certificate.columns if column.get("role") == Role.QUASI_IDENTIFIER.value)
    known = [str(column.get("name")) for column in quasi]  # one that was edited may have none
    for guarantee in certificate.guarantees:
        plain = plainly(guarantee, known)
        yield f"- {guarantee}" + (f"\n  In plain words: {plain}" if plain else "")


def _bases(certificate: Certificate) -> str:
    """What the words in brackets behind the promises mean: those that occur."""
    used = {} if certificate.seeded else {guarantee.basis for guarantee in certificate.guarantees}
    told = " ".join(f"*{basis.value}* means: {meaning}." for basis, meaning in BASES.items() if basis in used)
    return f"{told[0].upper()}{told[1:]}\n\n" if told else ""


def _listed(title: str, sentences: Iterable[str]) -> str:
    lines = "".join(f"- {sentence}\n" for sentence in sentences)
    return f"{title}\n\n{lines}\n" if lines else ""


def _made_by(certificate: Certificate) -> str:
    """Who made it, when, and whom to ask: as much of it as is said."""
    about = certificate.about
    by, on = f" by {about.owner}" if about.owner else "", f" on {certificate.date}" if certificate.date else ""
    made = f"An anonymized table, made{by}{on}." if by or on else ""
    ask = f"Questions: {about.contact}" if about.contact else ""
    return "".join(f"{sentence}\n\n" for sentence in (made, ask) if sentence)
