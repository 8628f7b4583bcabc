"""What methods that choose one node of the generalization lattice have in common: the request and its fulfilment."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.data.outcome import Outcome
from shoal.data.schema import Schema
from shoal.errors import InfeasibleError, ParameterError
from shoal.methods.parts.class_request import ClassRequest, unmet_by_one_class
from shoal.methods.parts.declared import unpublished_target
from shoal.quality import Classification, Loss, QualityModel
from shoal.search.evaluator import Evaluator
from shoal.search.lattice import Node

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable


@dataclass(frozen=True, kw_only=True)
class FullDomainRequest(ClassRequest):
    """What is asked of a full-domain recoding, beside what is asked of its classes.

    Attributes:
        suppression_limit: The share of records that may be left out, 0 to 1; of records also where persons are counted.
        quality: What to keep as much of as possible.
    """

    counts_persons: ClassVar[bool] = True
    recodes_populations: ClassVar[bool] = True

    suppression_limit: float = 0.05
    quality: QualityModel = field(default_factory=Loss)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.suppression_limit <= 1:
            raise ParameterError(f"suppression_limit is a share between 0 and 1; got {self.suppression_limit!r}.")

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """Quasi-identifiers, sensitive columns, and the target of a classification."""
        counted = super().counted(schema)
        if isinstance(self.quality, Classification) and self.quality.target not in counted:
            if not schema[self.quality.target].role.is_published:
                raise unpublished_target(schema[self.quality.target])
            counted = (*counted, self.quality.target)
        return counted

    def evaluator(self, table: EncodedTable) -> Evaluator:
        """The request made ready for one table."""
        self.require_enough(table)
        allowed = min(floor(self.suppression_limit * table.total + 1e-9), table.total - 1)  # something must be left
        return Evaluator(table, self.promises(table), self.quality, allowed)

    def fixed(self, table: EncodedTable) -> Node:
        """The target of a classification is not generalized: its level is 0; others are free."""
        target = self.quality.target if isinstance(self.quality, Classification) else None
        return tuple(0 if attribute.name == target else -1 for attribute in table.quasi_identifiers)

    def decide(self, evaluator: Evaluator, node: Node, search: dict[str, Any]) -> Outcome:
        """Apply a node: recode, and leave out the classes that may not be published."""
        table = evaluator.table
        classes = evaluator.classes.at(node)
        suppressed = evaluator.suppressed(classes)
        if suppressed is None or suppressed.all():
            raise unreachable(evaluator)
        recoding = evaluator.classes.recoding(node)
        kept = table.with_counts(table.counts.suppress(suppressed[classes.labels]))
        return Outcome.recoded(
            table, recoding, recoding.apply(kept), classes=classes, suppressed=suppressed, search=search
        )


def unreachable(evaluator: Evaluator) -> InfeasibleError:
    """Say which criterion cannot be met, and how far the table is from it even when everything is generalized."""
    unmet = unmet_by_one_class(evaluator.criteria, evaluator.classes.at(evaluator.lattice.top))
    if unmet is not None:
        return unmet
    limit = evaluator.allowed / max(evaluator.table.total, 1)
    return InfeasibleError(
        f"no recoding meets the request with at most {limit:.2%} of the records left out, although each criterion "
        "is met when everything is generalized; raise suppression_limit."
    )
