"""How something sound is damaged: bytes, cells, and the words of a text. Everything follows from a random generator."""

import re

NUMBERS = (
    b"0",
    b"-1",
    b"1",
    b"2",
    b"1e-300",
    b"1e6",
    b"1e300",
    b"1e400",
    b"nan",
    b"inf",
    b"-inf",
    b"-0.0",
    b"0.1",
    b"1e-9",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"1" + b"0" * 29,
    b"1" + b"0" * 400,
    b"0.30000000000000004",
    b"1_000",
    b"0x10",
    b"1e400000000",
    b'"1e400000000"',
    b'"1/0"',
    b'"1/3"',
    b"Infinity",
    b"NaN",
)
WORDS = (
    b'""',
    b"true",
    b"[]",
    b"{}",
    b"[[]]",
    b'"\\u0000"',
    b'"*"',
    b"null",
    b"'\\'",
    b'"../../etc"',
    b'"' + b"x" * 3000 + b'"',
    b"2024-02-30",
    b"0001-01-01",
    b"9999-12-31T23:59:59Z",
    b'"\xff\xfe"',
    b"[" * 3000 + b"]" * 3000,
    b"{ a = 1 }",
    b'"utf-16"',
    b'"punycode"',
    b'"=cmd|x"',
    b"[1, 100000000000000000000000000000]",
    '"𝔘𝔩𝔪"'.encode(),
    b'"\\r\\n"',
)
CELLS = (
    b"",
    b'"',
    b'""',
    b"\x00",
    b"\xff",
    b"\r",
    b"\n",
    b",",
    b";",
    b"\t",
    b"NaN",
    b"1e309",
    b"-",
    b"=1+1",
    b"*",
    b"9" * 400,
    "é".encode("latin-1"),
    b"\xef\xbb\xbf",
    b"2024-13-40",
    b"31.12.2024",
    b"1,5",
    b"  ",
    b'"a\nb"',
    b"0" * 70_000,
)

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|\[[^\[\]]*\]|\{[^{}]*\}|true|false|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?')


def mutated(content, rng, *, is_text=False):
    """One or a few small damages of a file's content; those of a text mostly leave it one that can be read."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        ways = _WORDS_OF_TEXT if is_text and rng.random() < 0.9 else _BYTES
        content = rng.choice(ways)(content, rng)
    return content


def _flip(content, rng):
    if not content:
        return b"\x00"
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def _overwrite(content, rng):
    at = rng.randrange(len(content) + 1)
    return (
        content[:at] + rng.choice((b"\x00" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff", rng.randbytes(8))) + content[at + 4 :]
    )


def _cut(content, rng):
    return content[: rng.randrange(len(content) + 1)]


def _drop(content, rng):
    at = rng.randrange(len(content) + 1)
    return content[:at] + content[at + rng.choice((1, 2, 10, 300)) :]


def _insert(content, rng):
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(CELLS) + content[at:]


def _repeat(content, rng):
    lines = content.splitlines(keepends=True) or [b""]
    at = rng.randrange(len(lines))
    return b"".join(lines[: at + 1] + lines[at : at + rng.choice((1, 3))] + lines[at + 1 :])


def _swap(content, rng):
    lines = content.splitlines(keepends=True) or [b""]
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _without_line(content, rng):
    lines = content.splitlines(keepends=True) or [b""]
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _replaced(pattern, others):
    def replace(content, rng):
        found = list(pattern.finditer(content[:200_000]))
        if not found:
            return _flip(content, rng)
        at = rng.choice(found)
        return content[: at.start()] + rng.choice(others) + content[at.end() :]

    return replace


def _other_value(content, rng):
    """A value of the same text in another's place: what is known, where it does not belong."""
    found = list(_VALUE.finditer(content[:200_000]))
    if not found:
        return _flip(content, rng)
    at, other = rng.choice(found), rng.choice(found)
    return content[: at.start()] + other.group() + content[at.end() :]


_BYTES = (
    _flip,
    _overwrite,
    _cut,
    _drop,
    _insert,
    _repeat,
    _swap,
    _without_line,
    _other_value,
    _replaced(_NUMBER, NUMBERS),
)
_WORDS_OF_TEXT = (
    _without_line,
    _repeat,
    _other_value,
    _other_value,
    _replaced(_NUMBER, NUMBERS),
    _replaced(_NUMBER, NUMBERS),
    _replaced(_VALUE, WORDS),
    _replaced(_VALUE, NUMBERS + WORDS),
)
