"""What an observer of a run sees, and what of it may not differ between neighboring tables.

Of the release itself everything may differ that its law lets differ: which records there are and how many, how columns
were recoded. So a number of records is masked wherever it is told, and the type and style of a column are compared
between releases that recoded it alike, and of which both show something.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

import shoal

FREE = ("level", "pieces")
"""What a certificate may say differently about a column: how it was recoded."""


def environment():
    """That of this process, with the same Shoal wherever a run is started."""
    return os.environ | {"PYTHONPATH": str(Path(shoal.__file__).parents[1])}


class Server:
    """Runs the command line, each time in a process of its own."""

    def __init__(self):
        program = Path(__file__).with_name("server.py")
        self._process = subprocess.Popen(
            [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
        )
        assert self._read() == "ready"

    def _read(self):
        line = self._process.stdout.readline()
        assert line, "the server is gone"
        return json.loads(line)

    def start(self, folder, *arguments, settings=None, report=True, **more):
        """Begin a run; `code` waits for its end."""
        asked = {"folder": str(folder), "arguments": arguments, "set": settings or {}, "report": report, **more}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()

    def code(self):
        """The exit code of the run."""
        return self.ended()[0]

    def ended(self):
        """The exit code of the run, and the seconds of the processor that it took."""
        said = self._read()
        return said["code"], said["seconds"]

    def close(self):
        """No more runs."""
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()


@dataclass(frozen=True)
class Seen:
    """All that somebody else may look at after a run."""

    code: int
    printed: str
    errors: str
    certificate: dict
    readme: str
    names: tuple[str, ...]
    """Of everything in the folder: the release, and that there is a folder of the owner."""
    columns: dict
    """By file and column: how it was recoded, and the type and style in which it is shown, if anything is."""
    files: dict
    """By file: what its format says about itself."""


def look(folder, code):
    """What there is to be seen."""
    release = folder / "release"
    certificate = json.loads((release / "certificate.json").read_text()) if release.exists() else {}
    records = f"{certificate.get('records', 0):,}"
    columns, files = {}, {}
    said = {column["name"]: {k: v for k, v in column.items() if k in FREE} for column in certificate.get("columns", ())}
    for path in sorted(release.glob("*.csv")):
        header, rows = _cells(path.read_text(encoding="utf-8"))
        files[path.name] = header
        names = [name.strip('"') for name in header]
        for i, name in enumerate(names):
            styles = {_style(row[i]) for row in rows if row[i]}
            columns[path.name, name] = said.get(name, {}), tuple(sorted(styles))
    for path in sorted(release.glob("*.parquet")):
        kept = pq.ParquetFile(path)
        meta = kept.metadata
        about = {
            key: value for key, value in (meta.metadata or {}).items() if key != b"ARROW:schema"
        }  # the types again
        files[path.name] = (meta.created_by, meta.format_version, meta.num_columns, sorted(meta.metadata or ()), about)
        for i, field in enumerate(kept.schema_arrow):
            column = kept.schema.column(i)
            kind = (
                str(field.type),
                field.nullable,
                field.metadata,
                str(column.physical_type),
                str(column.logical_type),
            )
            columns[path.name, field.name] = said.get(field.name, {}), kind
    readme = (release / "README.md").read_text() if release.exists() else ""
    return Seen(
        code=code,
        printed=_masked((folder / "stdout").read_text(), records),
        errors=(folder / "stderr").read_text(),
        certificate=_free(certificate),
        readme=_masked(readme, records),
        names=tuple(sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*"))),
        columns=columns,
        files=files,
    )


def _free(certificate):
    """The certificate without what the law of the release decides."""
    masked = {key: value for key, value in certificate.items() if key != "records"}
    masked["columns"] = [
        {k: v for k, v in column.items() if k not in FREE} | {k: "…" for k in FREE if k in column}
        for column in certificate.get("columns", ())
    ]
    masked["criteria"] = [criterion | {"reached": "…"} for criterion in certificate.get("criteria", ())]
    masked.pop("files", None)  # digests follow from the content
    return masked


def _masked(text, records):
    """Without the number of records, what became of columns, and the sentence that there are none."""
    text = re.sub(r"^There was nothing to publish\..*\n\n", "", text, flags=re.MULTILINE)
    text = re.sub(rf"(?<!at most )\b{records} records\b", "… records", text)  # not max_records, which is public
    return re.sub(r"^(  \S+: ).*$", r"\1…", text, flags=re.MULTILINE)  # as the recoding of the release has it


def _cells(text):
    """The cells of a CSV file as they are written, quotes and all."""
    rows = [re.findall(r'("(?:[^"]|"")*"|[^,\n]*)(?:,|$)', line) for line in _lines(text)]
    widths = len(next(csv.reader(io.StringIO(text))))
    return rows[0][:widths], [row[:widths] for row in rows[1:]]


def _lines(text):
    """Lines, breaks within quotes left alone."""
    return [line for line in re.findall(r'(?:"(?:[^"]|"")*"|[^"\n])+', text) if line]


def _style(cell):
    """How a cell is written: quoted, or what kind of a bare one."""
    if cell.startswith('"'):
        return "quoted"
    if re.fullmatch(r"-?\d+", cell):
        return "whole"
    if re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", cell):
        return "number"
    return "day" if re.fullmatch(r"\d{4}-\d\d-\d\d", cell) else "bare"


def differences(one, other, *, types=True):
    """What differs between two runs beyond the law of the release, in words."""
    found = [
        f"{name}: {getattr(one, name)!r} and {getattr(other, name)!r}"
        for name in ("code", "printed", "errors", "certificate", "readme", "names", "files")
        if getattr(one, name) != getattr(other, name)
    ]
    for key in one.columns.keys() & other.columns.keys() if types else ():
        (recoded, kind), (recoded_too, kind_too) = one.columns[key], other.columns[key]
        if recoded != recoded_too or kind == kind_too or not kind or not kind_too:
            continue
        if key[0].endswith(".csv") and {*kind, *kind_too} <= {"whole", "number"}:
            continue  # 3 and 3.5 are numbers alike
        found.append(f"{key}: {kind} and {kind_too}, recoded {recoded}")
    return found
