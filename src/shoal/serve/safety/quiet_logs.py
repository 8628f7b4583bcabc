"""Logs without records: what an error says may quote a value, so only its kind and place are written down."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Let nothing that came from a request, a file or a record reach a log of this process.

    Every record is reduced where it is made, so no library's logger or handler sees more.
    """
    before = logging.getLogRecordFactory()

    def reduced(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = before(*args, **kwargs)
        error = record.exc_info[1] if record.exc_info else None
        if error is None and isinstance(record.msg, BaseException):
            error = record.msg
        if error is not None:
            record.msg = f"The page failed where it should not ({kind_and_place(error)})."
        else:
            record.msg = str(record.msg).split("%", maxsplit=1)[0].strip() if record.args else record.msg
        record.args, record.exc_info, record.exc_text, record.stack_info = None, None, None, None
        return record

    logging.setLogRecordFactory(reduced)
    try:
        yield
    finally:
        logging.setLogRecordFactory(before)


def kind_and_place(error: BaseException) -> str:
    """What an error is and where it was raised, without what it says."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
