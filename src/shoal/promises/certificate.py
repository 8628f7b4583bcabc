"""Certificate: what may be published about a release, and read again."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from shoal.data.unit import Unit
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors, Relation
from shoal.errors import DataError, ParameterError
from shoal.notebook import bullets, paragraph
from shoal.promises import statements
from shoal.promises.about import About
from shoal.promises.certificate_json import NUMBER_SAID, counted, read_json, texts_of, typed
from shoal.promises.guarantee import Basis, Guarantee

CERTIFICATE = "certificate.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is promised about a release, on what basis, under which assumptions. Safe to publish.

    Attributes:
        method: The name of the method.
        parameters: Its parameters.
        guarantees: What is promised.
        criteria: What can be checked again from the published table: name, parameters and the value reached.
        columns: The published columns: name, role, and how they were recoded.
        records: How many records are published.
        reading: How the published values are to be read.
        findings: What audits found out about the release, in sentences.
        seeded: Whether it was a test run, its coins made from a seed: then nothing is promised, and nothing to check.
        version: The version of Shoal that made the release.
        unit: Whom promises are about: `record`, where each is another person, `person` or `household`.
        max_records: How many records of each of them took part at most, if that was drawn.
        about: What the owner says about the release: title, owner, contact.
        date: The day on which it was made, as in ISO 8601.
        spreadsheet_safe: Whether texts in CSV files have an apostrophe where a spreadsheet program could run them.
        files: The digest of every other file of the release, by name; empty until `shoal run` has written them.
    """

    method: str
    parameters: Mapping[str, Any]
    guarantees: tuple[Guarantee, ...]
    criteria: tuple[Mapping[str, Any], ...]
    columns: tuple[Mapping[str, Any], ...]
    records: int
    version: str
    reading: str = ""
    findings: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    seeded: bool = False
    unit: Unit = Unit.RECORD
    max_records: int | None = None
    about: About = field(default_factory=About)
    date: str = ""
    spreadsheet_safe: bool = False

    @property
    def promised(self) -> tuple[str, ...]:
        """What is promised, in sentences; of a test run that it is one."""
        return (statements.seeded(),) if self.seeded else tuple(str(guarantee) for guarantee in self.guarantees)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What all promises together take for granted, in sentences."""
        return tuple(dict.fromkeys(text for guarantee in self.guarantees for text in guarantee.assumptions))

    @property
    def _called(self) -> str:
        """The title and a colon, if there is one."""
        return f"{self.about.title}: " if self.about.title else ""

    def _sections(self) -> list[tuple[str, tuple[str, ...]]]:
        """What a person reads: sentences, each with what is listed under it."""
        return [
            (f"{self._called}{self.records:,} records, anonymized with {self.method}.", self.promised),
            ("This takes for granted:", self.assumptions),
            ("What was found out about it:", self.findings),
        ]

    def __str__(self) -> str:
        sections = [(title, listed) for number, (title, listed) in enumerate(self._sections()) if listed or not number]
        return "\n".join(line for title, listed in sections for line in (title, *(f"- {text}" for text in listed)))

    def _repr_html_(self) -> str:
        (title, promised), *others = self._sections()
        lists = "".join(bullets(heading, listed) for heading, listed in others)
        return (
            f"<div><p><strong>{escape(title)}</strong></p>{bullets('', promised)}{paragraph(self.reading)}{lists}</div>"
        )

    def to_dict(self) -> dict[str, Any]:
        """As it stands in `certificate.json`."""
        return (
            {
                "format": _FORMAT,
                "shoal": self.version,
                "method": {"name": self.method, "parameters": dict(self.parameters)},
                "guarantees": [guarantee.to_dict() for guarantee in self.guarantees],
                "criteria": [dict(criterion) for criterion in self.criteria],
                "columns": [dict(column) for column in self.columns],
                "records": self.records,
                "reading": self.reading,
                "findings": list(self.findings),
                "seeded": self.seeded,
                "unit": self.unit.value,
                "max_records": self.max_records,
            }
            | ({"spreadsheet_safe": True} if self.spreadsheet_safe else {})
            | self._said_of_it()
            | ({"files": dict(self.files)} if self.files else {})
        )

    def _said_of_it(self) -> dict[str, Any]:
        """Who made it, and when."""
        about = self.about.to_dict()
        return ({"release": about} if about else {}) | ({"date": self.date} if self.date else {})

    def to_json(self) -> str:
        """As text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @staticmethod
    def load(path: Path) -> Certificate:
        """Read a certificate back."""
        try:
            return Certificate.read(path.read_bytes(), path)
        except FileNotFoundError:
            raise DataError(f"{path} does not exist; expected the folder of a release made by `shoal run`.") from None
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise DataError(f"{path} cannot be read ({reason}); expected the certificate of a release.") from None

    @staticmethod
    def read(content: bytes, path: Path) -> Certificate:
        """A certificate from its bytes; `path` is for messages. Whatever is not as Shoal writes it is refused."""
        try:
            parsed = typed(read_json(content), dict)
            if parsed["format"] != _FORMAT:
                raise DataError(
                    f"{path} has format {parsed['format']!r}; this version of Shoal reads {_FORMAT}. Update Shoal."
                )
            method = typed(parsed["method"], dict)
            return Certificate(
                method=typed(method["name"], str),
                parameters=typed(method["parameters"], dict),
                guarantees=tuple(_guarantee(typed(part, dict)) for part in typed(parsed["guarantees"], list)),
                criteria=tuple(typed(part, dict) for part in typed(parsed["criteria"], list)),
                columns=tuple(typed(part, dict) for part in typed(parsed["columns"], list)),
                records=counted(parsed["records"]),
                version=typed(parsed["shoal"], str),
                reading=typed(parsed.get("reading", ""), str),
                findings=texts_of(parsed.get("findings", [])),
                files={name: typed(digest, str) for name, digest in typed(parsed.get("files", {}), dict).items()},
                seeded=typed(parsed.get("seeded", False), bool),
                unit=Unit(parsed.get("unit", Unit.RECORD.value)),
                max_records=None if parsed.get("max_records") is None else counted(parsed["max_records"]),
                about=_about(typed(parsed.get("release", {}), dict)),
                date=_day(typed(parsed.get("date", ""), str)),
                spreadsheet_safe=typed(parsed.get("spreadsheet_safe", False), bool),
            )
        except (ValueError, KeyError, TypeError, ArithmeticError, RecursionError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{path} is not a certificate of Shoal, or is damaged.") from None


def _about(fields: Mapping[str, Any]) -> About:
    try:
        return About(**{name: typed(text, str) for name, text in fields.items()})
    except ParameterError as error:
        raise ValueError from error


def _day(text: str) -> str:
    if text and dt.date.fromisoformat(text).isoformat() != text:
        raise ValueError
    return text


def _guarantee(fields: Mapping[str, Any]) -> Guarantee:
    neighbors, unit = (None, Unit.RECORD) if fields["neighbors"] is None else Neighbors.from_words(fields["neighbors"])
    cost = None
    if "epsilon" in fields:
        numbers = [typed(fields[name], str) for name in ("epsilon", "delta")]
        if neighbors is None or not all(NUMBER_SAID.fullmatch(number) for number in numbers):
            raise ValueError
        protected = frozenset(texts_of(fields.get("protected", [])))
        cost = PrivacyCost.of(numbers[0], numbers[1], Relation(neighbors, protected, unit))
        if fields.get("max_records") is not None:
            cost = replace(cost, max_records=counted(fields["max_records"]))
    basis, assumptions = Basis(fields["basis"]), texts_of(fields["assumptions"])
    return Guarantee(typed(fields["statement"], str), basis, assumptions, neighbors, cost, unit)
