"""Where random bits come from: the operating system, or a seed that must be asked for by name."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Bits(Protocol):
    """Independent, uniformly distributed bytes."""

    @property
    def seeded(self) -> bool:
        """Whether somebody who knows a seed can repeat the bytes: then there is no privacy."""
        ...

    def take(self, count: int) -> bytes:
        """The next `count` bytes, never handed out before."""
        ...


class SystemBits:
    """The generator of the operating system (theory X-3).

    Nothing is kept between calls. A forked child therefore cannot repeat its parent's bytes, a pickled copy carries no
    secret, and there is no state that could be read from memory later.
    """

    __slots__ = ()

    seeded: ClassVar[bool] = False

    def take(self, count: int) -> bytes:
        """Fresh bytes from the kernel."""
        return os.urandom(count)


class SeededBits:
    """SHAKE-128 of a seed and a call counter. For tests and benchmarks: whoever knows the seed knows the coins."""

    __slots__ = ("_calls", "_seed")

    seeded: ClassVar[bool] = True

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise ParameterError(f"SeededCoins: the seed must be an integer; got {seed!r}.")
        self._seed = seed
        self._calls = 0

    def take(self, count: int) -> bytes:
        """The next stretch of the keyed stream."""
        self._calls += 1
        return hashlib.shake_128(b"shoal test coins %d %d" % (self._seed, self._calls)).digest(count)


def octets(count: int, bits: Bits) -> NDArray[np.uint8]:
    """`count` uniform integers below 2^8."""
    return np.frombuffer(bits.take(count), dtype=np.uint8)


def words32(count: int, bits: Bits) -> NDArray[np.uint32]:
    """`count` uniform integers below 2^32."""
    return np.frombuffer(bits.take(4 * count), dtype="<u4").astype(np.uint32, copy=False)


def words64(count: int, bits: Bits) -> NDArray[np.uint64]:
    """`count` uniform integers below 2^64."""
    return np.frombuffer(bits.take(8 * count), dtype="<u8").astype(np.uint64, copy=False)
