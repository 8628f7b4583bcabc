"""Citations of the theory lead somewhere: every finding has one heading, every number cited is there."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
THEORY = ROOT / "docs" / "theory.md"
IDS = r"(?:SP|DG|KE|MA|NS|X)-R?\d+"
FINDING = re.compile(rf"^#### ({IDS})", re.MULTILINE)
PART = re.compile(r"^#{2,3} (\d+(?:\.\d|[a-d])?)\b", re.MULTILINE)
CITED = re.compile(rf"(?<![\w-])({IDS})(?![\w-])")
CITED_PART = re.compile(r"\b[Tt]heory(?:,)? (?:section )?(\d+(?:\.\d|[a-d])?)\b")


def texts():
    for folder in ("src", "docs", "tests", "benchmarks", "experiments"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".md"} and path != THEORY:
                yield path, path.read_text(encoding="utf-8")


def test_every_finding_of_the_theory_has_one_heading():
    found = Counter(FINDING.findall(THEORY.read_text(encoding="utf-8")))
    assert len(found) > 40
    assert set(found.values()) == {1}


def test_every_citation_of_the_theory_leads_to_a_heading():
    theory = THEORY.read_text(encoding="utf-8")
    findings, parts = set(FINDING.findall(theory)), set(PART.findall(theory))
    parts |= {"5b", "5d"} if "### 5b/5d." in theory else set()
    cited, dead = 0, []
    for path, text in texts():
        for name in CITED.findall(text):
            cited += 1
            dead += [(path.name, name)] if name not in findings else []
        dead += [(path.name, part) for part in CITED_PART.findall(text) if part not in parts]
    assert cited > 100
    assert not dead
    assert not [name for name in CITED.findall(theory) if name not in findings]
