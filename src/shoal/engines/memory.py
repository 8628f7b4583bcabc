"""A limit to the memory of this process: estimated before a method begins, and kept while it works."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import prod
from pathlib import Path

from shoal.data.attribute import Attribute
from shoal.data.domain import Origin
from shoal.data.encoded import EncodedTable
from shoal.errors import InfeasibleError, ParameterError

CELL_BYTES = 40
"""Memory for a cell of a distinct record while a method decides, at least: most methods take more
(`benchmarks/bench_cardinality.py`)."""

LIBRARIES_BYTES = 250 * 2**20
"""Memory that libraries and compiled kernels take which a run loads after it has begun, whatever the table."""

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([KMGT])i?B", re.IGNORECASE)
_POWER = {"K": 10, "M": 20, "G": 30, "T": 40}
_MOST = 1 << 60
_PAUSE, _PATIENCE = 0.01, 2.0
LIMIT: ContextVar[str | None] = ContextVar("memory limit", default=None)
"""As the owner said it; None where nothing is limited."""

_WAYS = (
    "leave out quasi-identifiers, declare coarser values (years instead of days, fewer digits of codes), so that fewer "
    "records are different, or allow more"
)


def bytes_of(size: str) -> int:
    """How many bytes `2GB` or `500 MB` are; units are powers of 1,024."""
    found = _SIZE.fullmatch(size)
    if found is None:
        raise ParameterError(f"memory is a size such as 2GB or 500MB; got {size!r}.")
    most = float(found[1]) * 2 ** _POWER[found[2].upper()]
    if most > _MOST:
        raise ParameterError(f"memory is a size that a machine may have, at most {_MOST >> 40:,}TB; got {size!r}.")
    return int(most)


@contextmanager
def memory_limit(size: str | None) -> Iterator[None]:
    """Whatever is published within takes at most so much memory, or is refused: `with shoal.memory_limit("2GB"): …`.

    A method without a budget is refused as soon as its distinct records are known to be too many, and stopped if it
    needs more all the same. One with a budget is refused beforehand, by what is declared alone: at which size it would
    be stopped is for the records to decide, and whether it ends may tell nothing of them.

    Example:
        >>> import shoal
        >>> with shoal.memory_limit("2GB"):
        ...     pass  # shoal.Mondrian(k=5).anonymize(frame, schema)
    """
    if size is not None:
        bytes_of(size)
    before = LIMIT.set(size)
    try:
        yield
    finally:
        LIMIT.reset(before)


@contextmanager
def kept_limit() -> Iterator[None]:
    """Stop what takes more memory than the limit, and say so; nothing happens where there is none.

    The system could refuse memory beyond a limit, but libraries of linear algebra then try again for ever. So what the
    process holds is looked at a hundred times a second, and what works for it here gets a `MemoryError`.
    """
    size = LIMIT.get()
    if size is None:
        yield
        return
    if not _in_use():
        raise ParameterError("a limit to memory cannot be kept on this system; leave it out.")
    done, told = threading.Event(), threading.Event()
    works = threading.get_ident()

    def look() -> None:
        while not done.wait(_PATIENCE if told.is_set() else _PAUSE):
            if _in_use() > most:
                told.set()  # and again if it went by unheard, where Python ignores errors
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(works), ctypes.py_object(MemoryError))

    began = _in_use()
    _require_room_for_process(size, began)
    most, watch = bytes_of(size), threading.Thread(target=look, name="shoal-memory", daemon=True)
    hook = sys.unraisablehook
    sys.unraisablehook = lambda unheard: None if unheard.exc_type is MemoryError else hook(unheard)
    watch.start()
    try:
        try:
            yield
        finally:
            done.set()
            watch.join()
            sys.unraisablehook = hook
            if told.is_set():  # if it has not come yet, it shall not come later
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(works), None)
    except MemoryError:
        raise _too_little(size, began) from None
    if told.is_set():
        raise _too_little(size, began)


def require_memory(table: EncodedTable, method: str) -> None:
    """Refuse distinct records that no method can work on within the limit, before it begins."""
    size = LIMIT.get()
    if size is None:
        return
    records, columns = len(table.counts), len(table.attributes)
    held = _in_use()
    _require_room_for_process(size, held)
    needed = held + records * columns * CELL_BYTES
    if needed > bytes_of(size):
        raise InfeasibleError(
            f"{records:,} distinct records of {columns} columns take {method} {needed / 2**30:.1f} GB or more, and the "
            f"limit is {size}; {_WAYS}."
        )


def _require_room_for_process(size: str, held: int) -> None:
    """Refuse a limit that is exceeded already: no table is small enough for it."""
    if held > bytes_of(size):
        raise _too_little(size, held)


def _too_little(size: str, began: int) -> InfeasibleError:
    """What to say of a limit that was not enough, for a process that held so many bytes when it began."""
    itself = began + LIBRARIES_BYTES
    if bytes_of(size) >= itself:
        return InfeasibleError(f"{size} of memory are not enough for this table and method; {_WAYS}.")
    enough = -(-itself // (100 * 2**20)) * 100
    return InfeasibleError(
        f"{size} of memory are not enough: the process itself takes about {itself / 2**20:.0f} MB, its libraries "
        f"included and whatever the table; allow at least {enough}MB."
    )


def require_bounded_memory(attributes: Sequence[Attribute], method: str, *, has_floor: bool) -> None:
    """Refuse a private method unless even all records that the declared domains allow fit within the limit."""
    size = LIMIT.get()
    if size is None:
        return
    if all(attribute.domain.origin is Origin.DECLARED for attribute in attributes):
        possible = prod(a.hierarchy.levels[a.floor].size if a.floor else a.domain.size for a in attributes)
        if possible * len(attributes) * CELL_BYTES <= bytes_of(size):
            return
    ways = "declare coarser domains, or give a floor" if has_floor else "or declare coarser domains"
    raise ParameterError(
        f"{method} is private: its records may not decide whether it ends, and the declared domains allow more "
        f"different records than {size} of memory hold; leave the limit out, {ways}."
    )


def _in_use() -> int:
    """The memory this process takes already, in bytes; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
