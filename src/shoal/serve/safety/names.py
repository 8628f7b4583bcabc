"""Names that files came with, made harmless: they become part of a path, and stand on the page."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 80
_ENDINGS = re.compile(r"(\.[A-Za-z0-9]{1,8}){0,2}\Z")


def safe_name(given: str, otherwise: str = "table") -> str:
    """A name that is one part of a path, of letters, digits and `-_.`, and keeps its ending.

    Example:
        >>> safe_name("../../etc/Pass wd.CSV"), safe_name("..."), safe_name("Zensus 2022 (neu).csv.gz")
        ('Pass_wd.CSV', 'table', 'Zensus_2022_neu.csv.gz')
    """
    plain = unicodedata.normalize("NFKD", given.replace("\\", "/").rsplit("/", 1)[-1])
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    found = _ENDINGS.search(plain)
    ending = found[0] if found else ""
    stem = re.sub(r"[^A-Za-z0-9-]+", "_", plain.removesuffix(ending))[:_LONGEST].strip("_-")
    if re.fullmatch(r"(?i)con|prn|aux|nul|com\d|lpt\d", stem):  # Windows keeps these for devices
        stem += "_"
    return f"{stem or otherwise}{ending}"
