"""Taxonomies of occupations and countries cut out of WordNet, as in §5.1: the values of Adult and all their ancestors.

The paper has WordNet 2.1, with 122 concepts for occupations and 127 for countries, by a mapping of values to concepts
that another paper prints. Debian has WordNet 3.0 (`wordnet-base`): it is read where it is installed, or else fetched
once with `apt-get download` into the user's cache. 3.0 has the same noun hierarchy in kind, with "entity" on top of all
in both; it added, split and moved synsets, so that depths differ by a level here and there. What makes our trees
smaller is not the version: each value has one concept (below), and of a concept's hypernyms the first is followed, so
that it is a tree and not a graph. Squared errors depend on all of that; factors and record linkage hardly do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from shoal.data.hierarchies.paths import Paths

INSTALLED = Path("/usr/share/wordnet")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "shoal-experiments" / "wordnet"
CONCEPTS = {
    "occupation": {
        "Adm-clerical": ("clerk", 1),
        "Armed-Forces": ("soldier", 1),
        "Craft-repair": ("repairman", 1),
        "Exec-managerial": ("executive", 1),
        "Farming-fishing": ("farmer", 1),
        "Handlers-cleaners": ("cleaner", 3),
        "Machine-op-inspct": ("machinist", 1),
        "Other-service": ("waiter", 1),
        "Priv-house-serv": ("domestic", 1),
        "Prof-specialty": ("professional", 1),
        "Protective-serv": ("guard", 1),
        "Sales": ("salesman", 1),
        "Tech-support": ("technician", 1),
        "Transport-moving": ("mover", 1),
    },
    "native-country": {
        "Columbia": ("colombia", 1),
        "Holand-Netherlands": ("holland", 1),
        "Hong": ("hong_kong", 1),
        "Outlying-US(Guam-USVI-etc)": ("guam", 1),
        "South": ("south_korea", 1),
        "Trinadad&Tobago": ("trinidad_and_tobago", 1),
        "Yugoslavia": ("yugoslavia", 2),
    },
}
"""A word and the number of its sense; of countries only those that are spelled otherwise."""


def folder() -> Path:
    """Where the database is; ends the script with a reason if it cannot be had."""
    if (INSTALLED / "data.noun").exists():
        return INSTALLED
    unpacked = CACHE / "usr" / "share" / "wordnet"
    if not (unpacked / "data.noun").exists():
        if not (shutil.which("apt-get") and shutil.which("dpkg")):
            sys.exit("skipped: WordNet is not installed, and there is no apt-get to fetch wordnet-base with")
        CACHE.mkdir(parents=True, exist_ok=True)
        fetched = subprocess.run(
            ["apt-get", "download", "wordnet-base"], cwd=CACHE, capture_output=True, text=True, check=False
        )
        packages = sorted(CACHE.glob("wordnet-base*.deb"))
        if fetched.returncode or not packages:
            sys.exit("skipped: WordNet is not installed, and apt-get download wordnet-base did not fetch it")
        subprocess.run(["dpkg", "-x", str(packages[-1]), str(CACHE)], check=True)
    return unpacked


@cache
def _nouns() -> tuple[dict[str, list[str]], dict[str, tuple[str, str | None]]]:
    """The synsets of a word in the order of its senses; the first word and the first hypernym of a synset."""
    senses, synsets = {}, {}
    for line in (folder() / "index.noun").read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            parts = line.split()
            senses[parts[0]] = parts[-int(parts[2]) :]
    for line in (folder() / "data.noun").read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            parts = line.partition("|")[0].split()
            after = 4 + 2 * int(parts[3], 16)
            pointers = zip(parts[after + 1 :: 4], parts[after + 2 :: 4], strict=False)
            above = next((to for kind, to in pointers if kind in ("@", "@i")), None)
            synsets[parts[0]] = (parts[4], above)
    return senses, synsets


def _ancestors(word: str, sense: int) -> list[str]:
    """Names of the concept and of all above it, up to "entity", each with its number: a name may stand for several."""
    senses, synsets = _nouns()
    found, at = [], senses[word][sense - 1]
    while at is not None:
        name, above = synsets[at]
        found.append(f"{name} {at}")
        at = above
    return found


def taxonomy(name: str, values: Iterable[str]) -> Paths:
    """The tree of a column; values whose concepts lie higher are repeated, which makes no further nodes."""
    paths = []
    for value in values:
        word, sense = CONCEPTS[name].get(value, (value.lower().replace("-", "_"), 1))
        paths.append([value, *_ancestors(word, sense)[1:]])
    longest = max(map(len, paths))
    return Paths(tuple((*[path[0]] * (longest - len(path)), *path) for path in paths), name)
