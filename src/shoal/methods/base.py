"""What a method is."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from shoal.progress import Progress

if TYPE_CHECKING:
    from shoal.criteria import Criterion
    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Outcome
    from shoal.data.schema import Schema
    from shoal.dp.accounting.cost import PrivacyCost
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger
    from shoal.promises.guarantee import Guarantee
    from shoal.release import Release


class Mode(Enum):
    """How faithful to a paper, and how safe."""

    RIGOROUS = "rigorous"
    """What is proved is what is promised."""
    AS_PUBLISHED = "as_published"
    """As the paper has it, for comparison."""


@runtime_checkable
class Method(Protocol):
    """Frozen parameters that turn an encoded table into a decision."""

    name: ClassVar[str]
    reading: ClassVar[str]

    @property
    def tosses_coins(self) -> bool:
        """Whether it draws, though it is not differentially private; then `run` takes coins as its last argument."""
        ...

    @property
    def needs_overlap_audit(self) -> bool:
        """Whether sets of records overlap and may give people away: then the certificate says what was found."""
        ...

    def stated(self, outcome: Outcome) -> tuple[Guarantee, ...]:
        """What is promised beyond what can be verified on the published table."""
        ...

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose joint counts it needs. Refuses a schema it cannot work with, before a row is read."""
        ...

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """The criteria that the published table will meet."""
        ...

    def run(self, table: EncodedTable, progress: Progress) -> Outcome:
        """Decide."""
        ...


@runtime_checkable
class PrivateMethod(Protocol):
    """A method with a differentially private guarantee: it has a price, and needs coins and a ledger."""

    name: ClassVar[str]
    reading: ClassVar[str]
    clamps: ClassVar[bool]

    @property
    def cost(self) -> PrivacyCost | None:
        """What one release costs; None if nothing is promised that is paid for, and only coins are needed."""
        ...

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose joint counts it needs; refuses domains that are not declared."""
        ...

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """What can also be verified on the published table."""
        ...

    def guarantees(self) -> tuple[Guarantee, ...]:
        """What is promised, on what basis."""
        ...

    def facts(self) -> dict[str, Any]:
        """Public numbers that go with the guarantee."""
        ...

    def run(self, table: EncodedTable, coins: Coins, ledger: Ledger, progress: Progress) -> Outcome:
        """Decide; charge before every look."""
        ...

    def nothing(self, table: EncodedTable) -> Outcome:
        """What is published where there is nothing to publish: no records, and nothing that the records decide.

        A run that meets an unforeseen error publishes the same, so that nobody can tell (`docs/proofs/process.md`).
        """
        ...

    @property
    def needs(self) -> str:
        """What it takes for records to be published, by what is public: told where none are."""
        ...


@runtime_checkable
class CoversColumns(Protocol):
    """A private method whose guarantee is about some columns only: others keep their roles, and are coded strictly."""

    @property
    def covered(self) -> tuple[str, ...]:
        """The columns of which no value may raise an error."""
        ...


class Publishes:
    """Gives a method its front door for data frames."""

    __slots__ = ()

    reading: ClassVar[str] = (
        "Values may be coarser than in the original, and records that could not be protected are left out."
    )
    """How what is published is to be read, for those who receive it."""
    promises_k_anonymity: ClassVar[bool] = False
    """Whether every published record shares its quasi-identifiers with at least k − 1 others."""
    clamps: ClassVar[bool] = False
    """Whether a number outside of its domain counts as the nearest one in it, if the method is a private one; else it
    counts as missing."""

    @property
    def tosses_coins(self) -> bool:
        """Whether it draws, though it is not differentially private; then `run` takes coins as its last argument."""
        return False

    @property
    def needs_overlap_audit(self) -> bool:
        """Whether sets of records overlap in ways that may give people away: not if a method does not say."""
        return False

    def stated(self, outcome: Outcome) -> tuple[Guarantee, ...]:
        """What is promised beyond what can be verified on the published table: nothing, if a method does not say."""
        del outcome
        return ()

    def anonymize(
        self: Any, frame: Any, schema: Schema, *, coins: Coins | None = None, one_record_each: bool = False
    ) -> Release:
        """Anonymize a pandas, polars or pyarrow table; `release.data` is of the same kind.

        With `one_record_each` the owner affirms that no person has several records although identifiers repeat; the
        certificate says so. `coins` is for tests: seeded coins make a release that protects nobody, and says so.
        """
        from shoal.pipeline import publish_frame

        return publish_frame(frame, schema, self, coins=coins, one_record_each=one_record_each)
