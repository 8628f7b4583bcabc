"""What descriptions say of a column and of a release, in sentences: no more than its certificate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from shoal.promises.certificate import Certificate


def about_column(column: Mapping[str, Any]) -> str:
    """What became of a column."""
    said = [str(column["role"])]
    if "level" in column:
        said.append(
            "kept as it was"
            if column["level"] == 0
            else f"generalized to level {column['level']} of {column['levels']}"
        )
    elif "pieces" in column:
        said.append(f"cut into {column['pieces']} pieces")
    said += [f"{key} {column[key]}" for key in ("bottom", "top", "round") if key in column]
    return "; ".join(said)


def about_release(certificate: Certificate) -> str:
    """What it is, and what is promised about it."""
    sentences = " ".join(f"{text}." for text in certificate.promised)
    return f"{certificate.records:,} records, anonymized with {certificate.method}. {certificate.reading} {sentences}"


def short_name(certificate: Certificate) -> str:
    """A name of small letters, digits and hyphens, from the title."""
    plain = re.sub(r"[^a-z0-9]+", "-", certificate.about.title.lower()).strip("-")
    return plain or "release"
