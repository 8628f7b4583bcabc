import pickle

import numpy as np
import pytest

from shoal.dp.coins.bits import SeededBits, SystemBits, octets, words32, words64
from shoal.errors import ParameterError


def test_the_system_source_keeps_nothing_that_a_fork_or_a_copy_could_repeat():
    bits = SystemBits()
    assert not hasattr(bits, "__dict__")
    assert SystemBits.__slots__ == ()
    assert b"SystemBits" in pickle.dumps(bits)
    assert pickle.loads(pickle.dumps(bits)).take(32) != bits.take(32)


def test_the_system_source_never_says_the_same_thing_twice():
    bits = SystemBits()
    assert len({bits.take(16) for _ in range(1_000)}) == 1_000
    assert not bits.seeded


def test_a_seed_repeats_its_stream_and_another_seed_does_not():
    one, again, other = SeededBits(1), SeededBits(1), SeededBits(2)
    stream = [one.take(9) for _ in range(100)]
    assert stream == [again.take(9) for _ in range(100)]
    assert len(set(stream)) == 100
    assert not set(stream) & {other.take(9) for _ in range(100)}
    assert one.seeded


def test_the_stream_of_a_seed_is_the_same_on_every_machine():
    assert SeededBits(7).take(8).hex() == "e1202cdf03461b56"
    assert words64(1, SeededBits(7)).tolist() == [int.from_bytes(SeededBits(7).take(8), "little")]


@pytest.mark.parametrize("seed", ["7", 7.0, True, None])
def test_a_seed_is_an_integer(seed):
    with pytest.raises(ParameterError, match="the seed must be an integer"):
        SeededBits(seed)


@pytest.mark.parametrize(("draw", "dtype"), [(octets, np.uint8), (words32, np.uint32), (words64, np.uint64)])
def test_words_have_their_type_and_number(draw, dtype):
    drawn = draw(1_000, SeededBits(3))
    assert drawn.dtype == dtype
    assert len(drawn) == 1_000
    assert drawn.max() > np.iinfo(dtype).max // 2
    assert len(draw(0, SeededBits(3))) == 0
