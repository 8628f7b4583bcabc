"""A file system that fails once: the n-th call that writes, renames, syncs, links, locks or removes."""

import builtins
import contextlib
import fcntl
import io
import os
import sqlite3
from pathlib import Path

import pyarrow as pa
import pytest

CALLS = ("mkdir", "rename", "replace", "link", "fsync", "unlink", "chmod", "ftruncate")


class Failure:
    """Counts calls that change something below a folder, and fails the n-th with an error of the system."""

    def __init__(self, number, errno):
        self.number, self.errno, self.calls, self.failed = number, errno, 0, None

    def pass_or_fail(self, name):
        """One more call."""
        self.calls += 1
        if self.calls == self.number:
            self.failed = name
            raise sqlite3.OperationalError("disk I/O error") if name == "SQLite" else self.error()

    def error(self):
        """As the system says it."""
        return OSError(self.errno, os.strerror(self.errno))

    def counting(self, name, call, counts=lambda *_, **__: True):
        """The same call, counted."""

        def counted(*given, **named):
            if counts(*given, **named):
                self.pass_or_fail(name)
            return call(*given, **named)

        return counted


def _writes(_, mode="r", *__, **___):
    return any(letter in mode for letter in "wax+")


def _opens_to_write(_, flags, *__, **___):
    return bool(flags & (os.O_WRONLY | os.O_RDWR))


@contextlib.contextmanager
def failing(number, errno):
    """For a while the n-th call fails; what failed is told, None if there were fewer calls."""
    failure = Failure(number, errno)
    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, failure.counting(name, getattr(os, name)))
        patch.setattr(os, "open", failure.counting("open", os.open, _opens_to_write))
        patch.setattr(fcntl, "flock", failure.counting("flock", fcntl.flock))
        patch.setattr(pa, "OSFile", failure.counting("a file of Arrow", pa.OSFile, _writes))
        patch.setattr(sqlite3, "connect", failure.counting("SQLite", sqlite3.connect))
        opened = failure.counting("open to write", io.open, _writes)
        patch.setattr(io, "open", opened)
        patch.setattr(builtins, "open", opened)
        yield failure


def listing(folder):
    """Everything there is, with what it holds."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(Path(folder).rglob("*"))
    }
