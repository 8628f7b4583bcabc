"""Columns of which the same is said, in one table of the release file: `[columns."q_*"]`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.survey.looks import Look
from shoal.survey.toml_text import comment, text

_FEWEST = 4
"""Columns that are worth a pattern."""
_COMMENT = re.compile(r"  # [^\n]*")


def pattern_for(name: str) -> str:
    """A name with its numbers left open: `q_12_a` as `q_*_a`."""
    return re.sub(r"\d+", "*", name)


def grouped(looks: Sequence[Look]) -> list[list[Look]]:
    """Columns that are called alike and seem alike, together; each of the others by itself; in their order."""
    groups: dict[tuple[str, str, str], list[Look]] = {}
    for look in looks:
        groups.setdefault((pattern_for(look.name), look.role.value, look.kind.value), []).append(look)
    return [
        part
        for (pattern, _, _), members in groups.items()
        for part in ([members] if "*" in pattern and len(members) >= _FEWEST else [[look] for look in members])
    ]


def joined(blocks: Sequence[tuple[str, str]], fits: Sequence[tuple[str, frozenset[str]]]) -> list[str]:
    """The tables of all columns, those of a pattern that say the same written once, where the first of them stood.

    Args:
        blocks: Columns with the text of their tables.
        fits: Patterns with the columns that each stands for.
    """
    said = {name: _COMMENT.sub("", block).partition("\n")[2] for name, block in blocks}
    shared: dict[str, str] = {}
    for pattern, names in fits:
        alike = {said[name] for name in names}
        if len(names) >= _FEWEST and len(alike) == 1 and "hierarchies/" not in next(iter(alike)):
            shared |= dict.fromkeys(names - shared.keys(), pattern)
    written: list[str] = []
    for name, block in blocks:
        pattern = shared.get(name, "")
        if not pattern:
            written.append(block)
            continue
        alike_names = [other for other, _ in blocks if shared.get(other) == pattern]
        if name == alike_names[0]:
            told = f"{len(alike_names)} columns, {alike_names[0]} to {alike_names[-1]}"
            head = f"[columns.{text(pattern)}]{comment(told)}"
            written.append(f"{head}\n{block.partition(chr(10))[2]}")
    return written
