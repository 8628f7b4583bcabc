"""What a method is."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from shoal.progress import Progress

if TYPE_CHECKING:
    from shoal.criteria import Criterion
    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Recoded
    from shoal.data.schema import Schema
    from shoal.release import Release


class Mode(Enum):
    """How faithful to a paper, and how safe."""

    RIGOROUS = "rigorous"
    """What is proved is what is promised."""
    AS_PUBLISHED = "as_published"
    """As the paper has it, for comparison."""


class Method(Protocol):
    """Frozen parameters that turn an encoded table into a decision."""

    name: ClassVar[str]

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose joint counts it needs. Refuses a schema it cannot work with, before a row is read."""
        ...

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """The criteria that the published table will meet."""
        ...

    def run(self, table: EncodedTable, progress: Progress) -> Recoded:
        """Decide."""
        ...


class Publishes:
    """Gives a method its front door for data frames."""

    __slots__ = ()

    def anonymize(self: Any, frame: Any, schema: Schema) -> Release:
        """Anonymize a pandas, polars or pyarrow table; `release.data` is of the same kind."""
        from shoal.pipeline import publish_frame

        return publish_frame(frame, schema, self)
