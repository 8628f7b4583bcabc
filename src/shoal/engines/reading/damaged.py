"""Text of which some bytes are none: read to its end, with NULs in their places."""

from __future__ import annotations

import codecs
import io
from typing import Any

NUL_FOR_DAMAGE = "shoal-nul-for-damage"
"""The name under which Python's codecs know what becomes of bytes that are no text."""

_AT_ONCE = 1 << 20


def _nul(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError | UnicodeEncodeError)
    return "\0", error.end


codecs.register_error(NUL_FOR_DAMAGE, _nul)


def absorbing(stream: Any, encoding: str) -> io.BufferedReader:
    """Bytes in some encoding as UTF-8; what is no text in it is a NUL, which no text holds."""
    return io.BufferedReader(_Text(stream, encoding))  # Arrow takes fewer bytes than it asked for as the end


class _Text(io.RawIOBase):
    def __init__(self, stream: Any, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(NUL_FOR_DAMAGE)
        self._waiting = memoryview(b"")
        self._is_at_end = False

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes; none at the end."""
        while not self._waiting and not self._is_at_end:
            found = self._stream.read(_AT_ONCE)
            self._is_at_end = not found
            text = self._decoder.decode(found, final=self._is_at_end)
            self._waiting = memoryview(text.encode("utf-8", NUL_FOR_DAMAGE))
        count = min(len(buffer), len(self._waiting))
        buffer[:count] = self._waiting[:count]
        self._waiting = self._waiting[count:]
        return count
