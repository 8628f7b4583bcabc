"""What methods that choose one node of the generalization lattice have in common: the request and its fulfilment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import floor
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.criteria import Criterion, KAnonymity, SequenceAnonymity
from shoal.data.outcome import Outcome
from shoal.data.people.pseudonyms import drawn, with_pseudonyms
from shoal.data.schema import Role, Schema
from shoal.dp.coins.coins import Coins, secure_coins
from shoal.errors import InfeasibleError, ParameterError
from shoal.methods.parts.class_request import ClassRequest, unmet_by_one_class
from shoal.methods.parts.declared import require_floor, unpublished_target
from shoal.parameters import Count
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
        floor: For some columns a level of their hierarchy that nothing is published below. Records are counted at it:
            fewer are different then.
    """

    counts_persons: ClassVar[bool] = True
    links_records: ClassVar[bool] = True
    recodes_populations: ClassVar[bool] = True

    suppression_limit: float = 0.05
    quality: QualityModel = field(default_factory=Loss)
    floor: Mapping[str, Count] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.suppression_limit <= 1:
            raise ParameterError(f"suppression_limit is a share between 0 and 1; got {self.suppression_limit!r}.")

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """Quasi-identifiers, sensitive columns, and the target of a classification."""
        counted = super().counted(schema)
        if schema.pseudonym:
            self._require_k_alone()
        if isinstance(self.quality, Classification) and self.quality.target not in counted:
            if not schema[self.quality.target].role.is_published:
                raise unpublished_target(schema[self.quality.target])
            counted = (*counted, self.quality.target)
        target = self.quality.target if isinstance(self.quality, Classification) else None
        require_floor(self.floors, schema.names(Role.QUASI_IDENTIFIER), target)
        return counted

    @property
    def floors(self) -> Mapping[str, int]:
        """The levels that records may be counted at."""
        return self.floor or {}

    def _require_k_alone(self) -> None:
        """Refuse what is asked beside k of classes that are whole sequences."""
        asked = [name for name in ("diversity", "closeness", "criteria") if getattr(self, name)]
        if asked:
            raise ParameterError(
                f"{asked[0]} is asked of classes of records, and with pseudonym = true classes are of whole sequences, "
                f"of which k alone is counted; leave out {asked[0]}, or pseudonym."
            )
        if isinstance(self.quality, Classification):
            raise ParameterError(
                "classification predicts from classes of records, and with pseudonym = true classes are of whole "
                "sequences; choose another quality model, or leave out pseudonym."
            )

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """As of any classes; where records are linked, k-anonymity of whole sequences of records."""
        return (SequenceAnonymity(self.k, table.unit),) if table.is_linked else super().promises(table)

    def evaluator(self, table: EncodedTable) -> Evaluator:
        """The request made ready for one table."""
        self.require_enough(table)
        criteria = (KAnonymity(self.k, table.unit),) if table.is_linked else self.promises(table)
        allowed = min(floor(self.suppression_limit * table.total + 1e-9), table.total - 1)  # something must be left
        return Evaluator(table, criteria, self.quality, allowed)

    def fixed(self, table: EncodedTable) -> Node:
        """The target of a classification is not generalized: its level is 0; others are free from their floor up."""
        target = self.quality.target if isinstance(self.quality, Classification) else None
        return tuple(0 if a.name == target else -1 - self.floors.get(a.name, 0) for a in table.quasi_identifiers)

    def decide(self, evaluator: Evaluator, node: Node, search: dict[str, Any], coins: Coins | None = None) -> Outcome:
        """Apply a node: recode, and leave out the classes that may not be published; pseudonyms are drawn now."""
        if evaluator.table.is_linked:
            evaluator = self.evaluator(drawn(evaluator.table, secure_coins() if coins is None else coins))
        table = evaluator.table
        classes = evaluator.classes.at(node)
        suppressed = evaluator.suppressed(classes)
        if suppressed is None or suppressed.all():
            raise unreachable(evaluator)
        recoding = evaluator.classes.recoding(node)
        kept = table.with_counts(table.counts.suppress(suppressed[classes.labels]))
        outcome = Outcome.recoded(
            table, recoding, recoding.apply(kept), classes=classes, suppressed=suppressed, search=search
        )
        return with_pseudonyms(outcome) if table.is_linked else outcome


def unreachable(evaluator: Evaluator) -> InfeasibleError:
    """Say which criterion cannot be met, and how far the table is from it even when everything is generalized."""
    if evaluator.table.is_linked:
        return _no_sequences(evaluator)
    unmet = unmet_by_one_class(evaluator.criteria, evaluator.classes.at(evaluator.lattice.top))
    if unmet is not None:
        return unmet
    limit = evaluator.allowed / max(evaluator.table.total, 1)
    return InfeasibleError(
        f"no recoding meets the request with at most {limit:.2%} of the records left out, although each criterion "
        "is met when everything is generalized; raise suppression_limit."
    )


def _no_sequences(evaluator: Evaluator) -> InfeasibleError:
    """The error where too few persons have as many records as somebody else: no recoding changes that."""
    hidden = evaluator.classes.at(evaluator.lattice.top)
    lost = int(hidden.sizes[hidden.has_fewer(max(c.k for c in evaluator.criteria if isinstance(c, KAnonymity)))].sum())
    total = max(evaluator.table.total, 1)
    return InfeasibleError(
        f"no recoding gives k persons each whole sequence with at most {evaluator.allowed / total:.2%} of the records "
        f"left out: with every quasi-identifier hidden {lost / total:.2%} are still of persons who have as many "
        "records as fewer than k − 1 others; raise suppression_limit, let fewer records of each take part with "
        "max_records in [data], or leave out pseudonym."
    )
