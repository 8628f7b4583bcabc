"""What the owner says about a table: columns, their roles, domains and hierarchies."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import Any

from shoal.data.domain import Categorical, Dates, Domain, Grid, Origin
from shoal.data.hierarchies.build import Recipe
from shoal.data.hierarchies.marks import Mark
from shoal.data.top_coding import coded_domain
from shoal.data.unit import Unit
from shoal.errors import SchemaError, listed, nearest
from shoal.notebook import paragraph, table
from shoal.parameters import Count, read_as, read_parameters

ROW = "row"
"""The person of a table with one record for each."""

PSEUDONYM = "pseudonym"
"""The published column that links records of one person, where the owner wishes it."""


class Role(Enum):
    """What a column means for privacy."""

    IDENTIFIER = "identifier"
    """Names a person: not published. That values of it repeat speaks against one record for each person."""
    DROPPED = "dropped"
    """Names nobody, and is not published all the same."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """Known to others, and in combination pointing at a person: generalized."""
    SENSITIVE = "sensitive"
    """What nobody may learn about a person: published as it is, protected by the classes it stands in."""
    INSENSITIVE = "insensitive"
    """Neither: published as it is."""
    PERSON = "person"
    """Tells persons apart: records with the same value are of one person. Not published."""
    HOUSEHOLD = "household"
    """Tells households apart, whose members are found together. Not published."""
    WEIGHT = "weight"
    """How many of the population a record stands for. Not published."""
    PERTURBED = "perturbed"
    """Published with noise beside the classes. A method makes this of a quasi-identifier; no owner declares it."""
    PSEUDONYM = "pseudonym"
    """A number drawn at random for each person, which links published records. Made for a release, never declared."""
    KEYED = "keyed"
    """An identifier of which a pseudonym is published, made with a secret key. A release makes this of an "
    "identifier."""

    @staticmethod
    def to_declare() -> tuple[Role, ...]:
        """The roles that an owner may give to a column."""
        return tuple(role for role in Role if role not in (Role.PERTURBED, Role.PSEUDONYM, Role.KEYED))

    @property
    def is_published(self) -> bool:
        """Whether anything is published of the column."""
        return self not in (Role.IDENTIFIER, Role.DROPPED, Role.PERSON, Role.HOUSEHOLD, Role.WEIGHT)

    @property
    def is_counted(self) -> bool:
        """Whether a method works with the column's codes."""
        return self in (Role.QUASI_IDENTIFIER, Role.SENSITIVE)


class Pseudonyms(Enum):
    """Which releases give an identifier the same pseudonym."""

    RELEASE = "release"
    """One release alone: no two can be joined by it."""
    LINKED = "linked"
    """All that are made with the same key: whoever has two of them can join them, and what they show adds up."""


@dataclass(frozen=True, slots=True)
class Column:
    """What the owner says about one column; what is left out is filled in from the data, and marked as observed."""

    name: str
    role: Role = Role.INSENSITIVE
    domain: Domain | None = None
    hierarchy: Recipe | None = None
    missing: bool = False
    """Whether values may be missing, where the domain was declared."""
    observed: bool = False
    """Whether the values a hierarchy names were taken from the data."""
    confirmed: bool = False
    """Whether its domain was taken from the data, and the owner then confirmed it to be public knowledge."""
    unlinkable: bool = False
    """Whether the owner affirms that nobody outside can know whose values those of an insensitive column are."""
    top: Decimal | None = None
    """Larger numbers count as this one, before all else."""
    bottom: Decimal | None = None
    """Smaller numbers count as this one."""
    round: Decimal | None = None
    """Numbers count as the nearest multiple of this one."""
    pseudonym: Pseudonyms | None = None
    """Whether a pseudonym of an identifier is published, made with a secret key, and which releases share it."""

    @property
    def is_coded(self) -> bool:
        """Whether numbers outside of its domain, or between its steps, count as the nearest in it."""
        return self.top is not None or self.bottom is not None or self.round is not None

    @property
    def is_declared(self) -> bool:
        """Whether the owner declared all its values, rather than that they were taken from the data."""
        domain = self.domain
        if domain is None and self.hierarchy is not None and not self.observed:
            domain = self.hierarchy.leaves()
        return domain is not None and domain.origin is Origin.DECLARED and self.mark is not Mark.SEEN

    @property
    def mark(self) -> Mark:
        """Where its values come from, by what its hierarchy file says, or else by what the release file says."""
        mark: Mark = getattr(self.hierarchy, "mark", Mark.NONE)
        return Mark.CONFIRMED if self.confirmed and mark is Mark.NONE else mark

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.role is Role.PERTURBED:
            raise SchemaError(
                f"column {self.name!r}: {self.role.value!r} is what k-epsilon makes of a column; declare it a "
                "quasi-identifier, and name it in 'perturbed' of the method."
            )
        if self.role is Role.PSEUDONYM:
            raise SchemaError(
                f"column {self.name!r}: pseudonyms are drawn for a release, and none is taken from a table; give it "
                "the role 'person' if it tells persons apart, and write pseudonym = true in [data]."
            )
        if isinstance(self.domain, Categorical) and not self.domain.values and not self.missing and self.is_declared:
            raise SchemaError(
                f"column {self.name!r}: its domain lists no value; expected one or more, such as ['a', 'b']."
            )
        if not self.role.is_counted and self.hierarchy is not None:
            raise SchemaError(
                f"column {self.name!r}: a hierarchy is of no use with the role {self.role.value!r}; "
                "remove it, or make the column a quasi-identifier or sensitive."
            )
        if self.confirmed and self.domain is None and (self.hierarchy is None or self.hierarchy.leaves() is None):
            raise SchemaError(
                f"column {self.name!r}: there are no values to confirm; write them, or a hierarchy that names them."
            )
        if self.pseudonym is not None and self.role not in (Role.IDENTIFIER, Role.KEYED):
            raise SchemaError(
                f"column {self.name!r}: pseudonym replaces an identifier by a name made with a secret key, and has no "
                f"meaning with the role {self.role.value!r}; remove it, or give the column the role 'identifier'."
            )
        if self.role is Role.KEYED and self.pseudonym is None:
            raise SchemaError(
                f"column {self.name!r}: {self.role.value!r} is what a release makes of an identifier; give it the role "
                "'identifier', and write pseudonym = true beside it."
            )
        if self.is_coded:
            if not self.role.is_counted:
                raise SchemaError(
                    f"column {self.name!r}: top, bottom and round have no meaning with the role {self.role.value!r}; "
                    "remove them, or make the column a quasi-identifier or sensitive."
                )
            values = self.domain
            if values is None and self.hierarchy is not None and not self.observed:
                leaves = self.hierarchy.leaves()  # ages, say, whose hierarchy says which there are
                values = leaves if isinstance(leaves, Grid) else None
            coded = coded_domain(self.name, values, self.bottom, self.top, self.round)
            object.__setattr__(self, "domain", coded)
        if self.unlinkable and self.role is not Role.INSENSITIVE:
            raise SchemaError(
                f"column {self.name!r}: unlinkable says why an insensitive column may be published as it is, and has "
                f"no meaning with the role {self.role.value!r}; remove it."
            )


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table in the owner's words.

    Example:
        >>> import shoal
        >>> schema = shoal.Schema().with_column(
        ...     "age", role="quasi-identifier", domain=(17, 90), hierarchy=shoal.intervals(5, 10, 20)
        ... )
        >>> [column.name for column in schema.columns]
        ['age']
    """

    columns: tuple[Column, ...] = ()
    person: str | None = None
    """What a person is: the column that tells persons apart, or "row", which affirms one record for each. Methods that
    spend a budget ask for it."""
    household: str | None = None
    """The column that tells households apart."""
    weight: str | None = None
    """The column that says how many of the population a record stands for."""
    protect: Unit | None = None
    """Whom guarantees are about, if not persons: `household`."""
    max_records: Count | None = None
    """How many records of each person, or household, take part at most, drawn at random before anything else; if not
    given, one where a budget is spent, and all elsewhere."""
    pseudonym: bool = False
    """Whether published records carry a pseudonym, drawn at random for each person, that says which belong together."""

    def __post_init__(self) -> None:
        read_parameters(self)
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            raise SchemaError(f"a column stands twice in the schema: {listed(n for n in names if names.count(n) > 1)}.")
        if self.person == ROW and ROW in names:
            raise SchemaError(
                "a column is called 'row', so that person = \"row\" could mean it or the record; give the column "
                "another name."
            )
        for role in (Role.PERSON, Role.HOUSEHOLD, Role.WEIGHT):
            self._settle_role(role)
        if self.protect is Unit.HOUSEHOLD and self.household is None:
            raise SchemaError(
                "households are to be protected, and no column tells them apart; name it in household, or leave out "
                "protect."
            )
        if self.protect is Unit.RECORD:
            raise SchemaError(
                'protect is "record"; expected "person" or "household". Write person = "row" if each record is another '
                "person."
            )
        if self.max_records is not None and self.unit is Unit.RECORD:
            raise SchemaError(
                "max_records says how many records of each person take part, and no column tells persons apart; name "
                "it in person, or leave out max_records."
            )
        if self.pseudonym:
            self._require_pseudonyms()

    def _require_pseudonyms(self) -> None:
        """Refuse pseudonyms where they say nothing, or more than is accounted for."""
        if self.unit is not Unit.PERSON:
            why = "households are protected" if self.unit is Unit.HOUSEHOLD else "no column tells persons apart"
            raise SchemaError(
                f"pseudonym links the published records of a person, and {why}; name the column that tells persons "
                "apart in person and leave out protect, or leave out pseudonym."
            )
        if PSEUDONYM in [column.name for column in self.columns]:
            raise SchemaError(
                f"a column is called {PSEUDONYM!r}, and so would the one be that links published records; give it "
                "another name, or leave out pseudonym."
            )
        if self.max_records == 1:
            raise SchemaError(
                "max_records = 1 leaves one record of each person, so that there is nothing to link; leave out "
                "pseudonym, or let more records take part."
            )
        for role in (Role.HOUSEHOLD, Role.WEIGHT):
            if getattr(self, role.value) is not None:
                raise SchemaError(
                    f"pseudonym links records, and nothing is known of what that does to figures by {role.value}; "
                    f"leave out {role.value} and give its column the role 'dropped', or leave out pseudonym."
                )

    def _settle_role(self, role: Role) -> None:
        """Make what is said of the table agree with what is said of columns: either may name the column of a role."""
        named: str | None = getattr(self, role.value)
        with_role = self.names(role)
        if len(with_role) > 1:
            raise SchemaError(f"{listed(with_role)} have the role {role.value!r}, which one column can have.")
        if with_role and named is not None and named != with_role[0]:
            raise SchemaError(
                f"{role.value} is {named!r}, and column {with_role[0]!r} has the role {role.value!r}; say the same in "
                "both places, or leave out one."
            )
        if with_role and named is None:
            object.__setattr__(self, role.value, with_role[0])
        if named is None or named in with_role or (role is Role.PERSON and named == ROW):
            return
        if not named.strip():
            raise SchemaError(f"{role.value} is empty; expected the name of a column.")
        column = next((column for column in self.columns if column.name == named), None)
        if column is not None and column.role not in (Role.IDENTIFIER, Role.DROPPED):
            raise SchemaError(
                f"{role.value} is {named!r}, a column with the role {column.role.value!r}; give it the role "
                f"{role.value!r}, which is not published, or name another column."
            )
        settled = Column(named, role)
        columns = tuple(settled if old is column else old for old in self.columns)
        object.__setattr__(self, "columns", columns if column is not None else (*columns, settled))

    @property
    def unit(self) -> Unit:
        """Whom guarantees are about: persons or households if a column tells them apart, else records."""
        if self.protect is Unit.HOUSEHOLD:
            return Unit.HOUSEHOLD
        return Unit.RECORD if self.person in (None, ROW) else Unit.PERSON

    @property
    def unit_column(self) -> str | None:
        """The column that tells those apart whom guarantees are about."""
        return {Unit.RECORD: None, Unit.PERSON: self.person, Unit.HOUSEHOLD: self.household}[self.unit]

    @staticmethod
    def infer(frame: Any) -> Schema:
        """A start: roles guessed by name and uniqueness, domains left to be observed."""
        from shoal.survey.looks import guess_schema

        return guess_schema(frame)

    def with_column(
        self,
        name: str,
        *,
        role: Role | str | None = None,
        domain: Domain | tuple[object, ...] | Sequence[str] | None = None,
        hierarchy: Recipe | None = None,
        missing: bool | None = None,
        unlinkable: bool | None = None,
        top: float | Decimal | None = None,
        bottom: float | Decimal | None = None,
        round: float | Decimal | None = None,  # noqa: A002  as release files call it
        pseudonym: Pseudonyms | str | None = None,
    ) -> Schema:
        """The schema with one column declared, or declared anew; what is not given stays as it was.

        Args:
            name: The column.
            role: A `Role` or its name.
            domain: `(from, to)` or `(from, to, step)` for numbers, two dates for days, a list of values for categories.
            hierarchy: How values become coarser: `shoal.intervals`, `shoal.prefixes`, `shoal.from_csv` and so on.
            missing: Whether values may be missing.
            unlinkable: Whether nobody outside can know whose values they are, of an insensitive column.
            top: Larger numbers count as this one (top coding).
            bottom: Smaller numbers count as this one.
            round: Numbers count as the nearest multiple of this one.
            pseudonym: `release` or `linked`: a pseudonym of an identifier is published, made with a secret key, another
                one for each release or the same in all.
        """
        column = next((column for column in self.columns if column.name == name), Column(name))
        changed = replace(
            column,
            role=column.role if role is None else role_named(role),
            domain=column.domain if domain is None else declared_domain(domain),
            hierarchy=column.hierarchy if hierarchy is None else hierarchy,
            missing=column.missing if missing is None else missing,
            unlinkable=column.unlinkable if unlinkable is None else unlinkable,
            top=column.top if top is None else Decimal(str(top)),
            bottom=column.bottom if bottom is None else Decimal(str(bottom)),
            round=column.round if round is None else Decimal(str(round)),
            pseudonym=column.pseudonym if pseudonym is None else read_as(Pseudonyms, "pseudonym", pseudonym),
        )
        if column in self.columns:
            return replace(self, columns=tuple(changed if old is column else old for old in self.columns))
        return replace(self, columns=(*self.columns, changed))

    def with_person(self, person: str | None) -> Schema:
        """The schema with the column that tells persons apart; "row" affirms that each record is another person."""
        freed = tuple(replace(c, role=Role.IDENTIFIER) if c.role is Role.PERSON else c for c in self.columns)
        is_told = person not in (None, ROW) or self.protect is not None
        return replace(
            self,
            columns=freed,
            person=person,
            max_records=self.max_records if is_told else None,
            pseudonym=self.pseudonym and is_told,
        )

    def __str__(self) -> str:
        return _text(self.columns, self._persons)

    def _repr_html_(self) -> str:
        return _html(self.columns, self._persons)

    @property
    def _persons(self) -> str:
        """Whom records are about, in words."""
        said = {None: "nothing is said of who a record is about", ROW: "each record is another person"}
        return said.get(self.person, f"{self.person!r} tells persons apart")

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        names = [column.name for column in self.columns]
        raise SchemaError(f"there is no column {name!r}; the schema has {listed(names, 12)}.{nearest(name, names)}")

    def names(self, *roles: Role) -> tuple[str, ...]:
        """The columns with one of these roles, in order."""
        return tuple(column.name for column in self.columns if column.role in roles)


_TITLES = ("column", "role", "domain", "hierarchy", "missing values")


def _text(columns: Sequence[Column], persons: str) -> str:
    """Columns below each other, for a terminal."""
    rows = [_TITLES, *map(_row, columns)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_TITLES))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([f"{len(columns):,} columns; {persons}.", *lines])


def _html(columns: Sequence[Column], persons: str) -> str:
    """The same for a notebook."""
    return f"<div>{paragraph(f'{len(columns):,} columns; {persons}.')}{table(_TITLES, list(map(_row, columns)))}</div>"


def _row(column: Column) -> tuple[str, ...]:
    recipe = "" if column.hierarchy is None else type(column.hierarchy).__name__
    return column.name, column.role.value, _domain(column), recipe, "may be" if column.missing else ""


def _domain(column: Column) -> str:
    """The values of a column in a few words, and where they come from."""
    domain = column.domain
    if domain is None and column.hierarchy is not None:
        domain = column.hierarchy.leaves()
    if domain is None:
        return "as observed in the data"
    values = range(domain.size - (domain.missing is not None))
    if isinstance(domain, Categorical):
        text = listed(name for code, name in enumerate(domain.values) if code != domain.missing)
    else:
        text = " to ".join(domain.labels([values[0], values[-1]])) if values else "no values"
    return f"{text} ({'declared' if column.is_declared else 'observed'})"


def role_named(role: Role | str) -> Role:
    """The role, or the role called so."""
    if isinstance(role, Role):
        return role
    known = [known.value for known in Role.to_declare()]
    if role not in known:
        raise SchemaError(f"{role!r} is not a role; expected one of {', '.join(known)}.{nearest(role, known)}")
    return Role(role)


def declared_domain(values: Domain | Sequence[object]) -> Domain:
    """A domain from a short form: bounds of numbers or dates as a tuple, categories as a list."""
    if isinstance(values, Categorical | Grid | Dates):
        return values
    if isinstance(values, tuple):
        if len(values) in (2, 3) and all(isinstance(value, int | float) for value in values):
            return Grid.between(*values)
        if len(values) == 2 and isinstance(values[0], dt.date) and isinstance(values[1], dt.date):
            return Dates(_day(values[0]), _day(values[1]))
        raise SchemaError("a domain given as a tuple is (from, to) or (from, to, step); give categories as a list.")
    return Categorical(tuple(str(value) for value in values), origin=Origin.DECLARED)


def _day(value: dt.date) -> dt.date:
    return value.date() if isinstance(value, dt.datetime) else value
