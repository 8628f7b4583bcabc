"""The process that reads a file of another program: a request on its input, an Arrow stream on its output.

It is started anew for every file, knows nothing but what it is asked, and writes no file. Whatever a library says about
a file may quote it, so only the kind of a failure is passed on.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from shoal.engines.reading.foreign.codebook import KEY

TABLE, REFUSED = b"T", b"E"
"""What the output begins with: an Arrow stream follows, or a sentence."""

_ROWS = 1 << 17


class Refused(Exception):  # noqa: N818  it is what a reader answers
    """A sentence for the owner, without a value of a record."""


def main() -> None:
    """Read what the request names."""
    request = json.loads(sys.stdin.buffer.read())
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is not part of the answer
        _limit_memory(request["memory"])
        try:
            answer = _read(request)
        except Refused as refused:
            out.write(REFUSED + str(refused).encode())
            return
        except Exception as error:  # noqa: BLE001  whatever is wrong with the file, and its text may quote it
            out.write(REFUSED + f"it is damaged, or something else ({type(error).__name__})".encode())
            return
        out.write(TABLE)
        out.write(answer.getbuffer())


def _read(request: dict[str, Any]) -> io.BytesIO:
    import pyarrow as pa

    reader = importlib.import_module(f"shoal.engines.reading.foreign.{request['reader']}")
    table, book = reader.read(Path(request["path"]), request["sheet"])
    answer = io.BytesIO()
    with pa.ipc.new_stream(answer, table.schema.with_metadata({KEY: book.to_bytes()})) as writer:
        writer.write_table(table, max_chunksize=_ROWS)
    return answer


def _limit_memory(most: int) -> None:
    """A damaged header may ask for any number of rows; better refused here than by the machine."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
