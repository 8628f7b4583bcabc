"""What a method is."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from shoal.data.outcome import Outcome
from shoal.errors import SchemaError
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    from shoal.criteria import Criterion
    from shoal.data.encoded import EncodedTable
    from shoal.data.schema import Schema
    from shoal.dp.accounting.cost import PrivacyCost
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger
    from shoal.ledger import Ledger as Books
    from shoal.promises.guarantee import Guarantee
    from shoal.release import F, Release


class Mode(Enum):
    """How faithful to a paper, and how safe."""

    RIGOROUS = "rigorous"
    """What is proved is what is promised."""
    AS_PUBLISHED = "as_published"
    """As the paper has it, for comparison."""


Covered: TypeAlias = Literal["all"] | tuple[str, ...]
"""The columns that a guarantee protects whatever a record holds: all that are counted, some by name, or none: ()."""


@runtime_checkable
class Method(Protocol):
    """Frozen parameters that turn an encoded table into a decision.

    Whatever handles methods asks these properties and never a type. `Publishes` answers most of them for a method that
    does not say.
    """

    name: ClassVar[str]
    """How a release file calls it."""
    promises_k_anonymity: ClassVar[bool]
    """Whether every published record shares its quasi-identifiers with at least k − 1 others; then it has a `k`."""
    counts_persons: ClassVar[bool]
    """Whether it counts persons where a person may have several records; else it is given one record of each."""
    links_records: ClassVar[bool]
    """Whether it makes classes of whole sequences of records, where a pseudonym says which are of one person."""
    clamps: ClassVar[bool]
    """Whether a number outside of its domain counts as the nearest one in it, in columns that are covered; else it
    counts as missing."""

    @property
    def reading(self) -> str:
        """How what is published is to be read, for those who receive it."""
        ...

    @property
    def cost(self) -> PrivacyCost | None:
        """What one release costs, if it is paid for from a privacy budget: then the method is a private one."""
        ...

    @property
    def covers(self) -> Covered:
        """The columns of which no value may raise an error; if all, every published column forms the classes."""
        ...

    @property
    def tosses_coins(self) -> bool:
        """Whether it draws: then a run with seeded coins is a test, and promises nothing."""
        ...

    @property
    def needs_overlap_audit(self) -> bool:
        """Whether sets of records overlap and may give people away: then the certificate says what was found."""
        ...

    @property
    def needs(self) -> str:
        """What it takes for records to be published, by what is public: told where none are. Of paid methods only."""
        ...

    @property
    def floors(self) -> Mapping[str, int]:
        """For some columns the level of their hierarchy that it looks at nothing below: records are counted at it."""
        ...

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose joint counts it needs. Refuses a schema it cannot work with, before a row is read."""
        ...

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """The criteria that the published table will meet, and that can be verified on it."""
        ...

    def guarantees(self, outcome: Outcome) -> tuple[Guarantee, ...]:
        """What is promised beyond that, on what basis; of a paid method it follows from what is public."""
        ...

    def facts(self) -> dict[str, Any]:
        """Public numbers that go with the guarantee."""
        ...

    def for_several(self, records: int) -> Method:
        """What is run instead where so many records of each person take part, two or more. Of paid methods only.

        What this method promises for one record must hold for one person then; refuses where that is not proved.
        """
        ...

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Decide. Whoever draws noise charges the ledger first; a method that needs neither may leave both unnamed."""
        ...

    def nothing(self, table: EncodedTable) -> Outcome:
        """What a paid method publishes where there is nothing to publish: nothing that the records decide.

        A run that meets an unforeseen error publishes the same, so that nobody can tell (`docs/proofs/process.md`).
        """
        ...


NONE_LEFT_OUT = "Values may be coarser than in the original; no record is left out."
"""How a release of a method that suppresses nothing is read."""


class Publishes:
    """Gives a method its front door for data frames, and answers for it what it does not say itself."""

    __slots__ = ()

    promises_k_anonymity: ClassVar[bool] = False
    counts_persons: ClassVar[bool] = False
    links_records: ClassVar[bool] = False
    clamps: ClassVar[bool] = False

    @property
    def reading(self) -> str:
        """What is so of most methods."""
        return "Values may be coarser than in the original, and records that could not be protected are left out."

    @property
    def cost(self) -> PrivacyCost | None:
        """Nothing is paid for, if a method does not say."""
        return None

    @property
    def covers(self) -> Covered:
        """All columns where a release is paid for, none elsewhere."""
        return () if self.cost is None else "all"

    @property
    def tosses_coins(self) -> bool:
        """Whoever is paid for draws."""
        return self.cost is not None

    @property
    def needs_overlap_audit(self) -> bool:
        """Sets of records do not overlap."""
        return False

    @property
    def floors(self) -> Mapping[str, int]:
        """It may look at every value, if a method does not say."""
        return {}

    @property
    def needs(self) -> str:
        """Nothing is known about it."""
        return ""

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """Nothing that could be verified."""
        del table
        return ()

    def guarantees(self, outcome: Outcome) -> tuple[Guarantee, ...]:
        """Nothing beyond what can be verified."""
        del outcome
        return ()

    def facts(self) -> dict[str, Any]:
        """Nothing beyond the parameters."""
        return {}

    def for_several(self, records: int) -> Any:
        """Nothing is proved, if a method does not say."""
        raise SchemaError(
            f"{getattr(self, 'name', 'the method')} promises nothing where {records:,} records of a person take part; "
            "write max_records = 1 in [data], so that one record of each takes part, drawn at random."
        )

    def nothing(self, table: EncodedTable) -> Outcome:
        """No records, in columns that hide everything."""
        return Outcome.of_nobody(table)

    def anonymize(
        self: Any,
        frame: F,
        schema: Schema,
        *,
        ledger: Books | None = None,
        coins: Coins | None = None,
        one_record_each: bool = False,
    ) -> Release[F]:
        """Anonymize a table of pandas, polars, pyarrow, DuckDB, Spark or Ibis; `release.data` is of the same kind.

        Of a table that stays where it is (a DuckDB relation, a Spark frame, an Ibis table, a polars lazy frame) only
        the distinct records come here, with their counts; `release.data` is evaluated there, when you evaluate it.

        Args:
            frame: The table.
            schema: What its columns are.
            ledger: The books that a differentially private release is paid from, `shoal.Ledger.open(...)`: it is
                refused before anything is drawn if the limit of the dataset leaves no room for it, and whatever goes
                wrong once it is paid publishes no records, as on the command line. By default that of
                `shoal.set_ledger`; without any nothing adds up what several releases give away together, and a warning
                says so.
            coins: For tests: seeded coins make a release that protects nobody, and says so.
            one_record_each: Whether the owner affirms that no person has several records although identifiers repeat;
                the certificate says so.
        """
        from shoal.pipeline import publish_frame

        return publish_frame(frame, schema, self, ledger=ledger, coins=coins, one_record_each=one_record_each)
