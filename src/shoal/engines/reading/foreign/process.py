"""Starts the process that reads a file, and says in one sentence what became of it if it does not answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import OrderedDict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.engines.reading.foreign.child import TABLE
from shoal.engines.reading.foreign.codebook import KEY, Codebook
from shoal.engines.reading.foreign.formats import Format
from shoal.errors import DataError, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

_SECONDS = 60
_SECONDS_PER_MEGABYTE = 20
"""A hundred thousand records of 20 columns are some 10 MB, and take a second; in R's format 15."""
_MEMORY = 8 << 30
_MEMORY_PER_BYTE = 64

_START = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from shoal.engines.reading.foreign.child import main
main()
"""

_kept: OrderedDict[tuple[object, ...], tuple[pa.Table, Codebook]] = OrderedDict()
"""The file that was read last: a run looks at its table several times."""


def read_file(path: Path, form: Format, sheet: str | None) -> tuple[pa.Table, Codebook]:
    """The table of a file with its codes as they are, and what the file says about them."""
    try:
        found = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from None
    key = (path.resolve(), found.st_mtime_ns, found.st_size, found.st_ino, sheet)
    if key not in _kept:
        if find_spec(form.library) is None:
            raise ParameterError(
                f"{path}: {form.library}, which reads files of {form.program}, is not installed; "
                f"`pip install 'shoal[{form.extra}]'` brings it."
            )
        table = _asked(path, form, sheet, found.st_size)
        book = Codebook.of(table.schema.metadata)
        _kept.clear()
        _kept[key] = table.replace_schema_metadata({k: v for k, v in table.schema.metadata.items() if k != KEY}), book
    return _kept[key]


def forget() -> None:
    """Keep no table in memory."""
    _kept.clear()


def _asked(path: Path, form: Format, sheet: str | None, size: int) -> pa.Table:
    import pyarrow as pa

    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise _unreadable(path, error) from None
    seconds = _SECONDS + _SECONDS_PER_MEGABYTE * size / 1e6
    request = {
        "path": str(path.resolve()),
        "reader": form.reader,
        "sheet": sheet,
        "memory": _MEMORY + _MEMORY_PER_BYTE * size,
    }
    try:
        done = subprocess.run(  # noqa: S603  our own interpreter, and nothing of the file in the command
            [sys.executable, "-c", _START, json.dumps(sys.path)],
            input=json.dumps(request).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        raise DataError(
            f"{path} was still not read after {seconds:,.0f} seconds, as damaged files are; open it in {form.program} "
            "and save it again, or save it as CSV."
        ) from None
    answer = memoryview(done.stdout)
    try:
        if answer[:1] == TABLE and done.returncode == 0:
            return pa.ipc.open_stream(pa.py_buffer(answer[1:])).read_all()
    except pa.ArrowException:
        pass
    reason = bytes(answer[1:]).decode(errors="replace") if len(answer) > 1 and answer[:1] != TABLE else ""
    raise DataError(
        f"{path} cannot be read as a file of {form.program}: "
        f"{reason or 'the library that reads it crashed, which damaged files do'}; open it in {form.program} and save "
        "it again, or save it as CSV."
    )


def _unreadable(path: Path, error: OSError) -> DataError:
    reason = error.strerror or type(error).__name__
    return DataError(f"{path} cannot be read ({reason.lower()}); check the file and its permissions.")
