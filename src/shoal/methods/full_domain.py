"""What methods that choose one node of the generalization lattice have in common: the request and its fulfilment."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.criteria import Closeness, Criterion, FrequencyDiversity, KAnonymity, violations
from shoal.data.outcome import Outcome
from shoal.data.schema import Role, Schema
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.methods.base import Publishes
from shoal.quality import Classification, Loss, QualityModel
from shoal.quality.base import require_quality_model
from shoal.search.evaluator import Evaluator
from shoal.search.lattice import Node

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable


@dataclass(frozen=True, kw_only=True)
class FullDomainRequest(Publishes):
    """What is asked of a full-domain recoding.

    Attributes:
        k: Every published record shares its quasi-identifiers with at least k − 1 others.
        diversity: No sensitive value has more than the share 1/diversity of a class, for every sensitive column.
        closeness: Sensitive values of a class are within this distance of the table's, for every sensitive column.
        criteria: Further criteria.
        suppression_limit: The share of records that may be left out, 0 to 1.
        quality: What to keep as much of as possible.
    """

    k: int = 5
    diversity: float | None = None
    closeness: float | None = None
    criteria: tuple[Criterion, ...] = ()
    suppression_limit: float = 0.05
    quality: QualityModel = field(default_factory=Loss)

    def __post_init__(self) -> None:
        if type(self.k) is not int or self.k < 1:
            raise ParameterError(f"k must be a whole number, 1 or more; got {self.k!r}.")
        if not 0 <= self.suppression_limit <= 1:
            raise ParameterError(f"suppression_limit is a share between 0 and 1; got {self.suppression_limit!r}.")
        require_quality_model(self.quality)
        if self.diversity is not None:
            FrequencyDiversity(self.diversity, "")  # checks its parameter
        if self.closeness is not None:
            Closeness(self.closeness, "")

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """Quasi-identifiers, sensitive columns, and the target of a classification."""
        if not schema.names(Role.QUASI_IDENTIFIER):
            raise SchemaError(
                "no column is a quasi-identifier, so there is nothing to protect; give this role to the columns that "
                "others may know about a person, such as age or zip code."
            )
        counted = schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)
        if isinstance(self.quality, Classification) and self.quality.target not in counted:
            if schema[self.quality.target].role is Role.IDENTIFIER:
                raise SchemaError(f"the target {self.quality.target!r} is an identifier, and identifiers are dropped.")
            counted = (*counted, self.quality.target)
        needs_sensitive = [
            n for n, v in (("diversity", self.diversity), ("closeness", self.closeness)) if v is not None
        ]
        if needs_sensitive and not schema.names(Role.SENSITIVE):
            raise SchemaError(
                f"{needs_sensitive[0]} protects sensitive columns, and no column has this role; "
                "give the role 'sensitive' to what nobody may learn about a person."
            )
        return counted

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """k-anonymity first, then what is asked about sensitive columns."""
        criteria: list[Criterion] = [KAnonymity(self.k)]
        for attribute in table.sensitive:
            if self.diversity is not None:
                criteria.append(FrequencyDiversity(self.diversity, attribute.name))
            if self.closeness is not None:
                criteria.append(Closeness(self.closeness, attribute.name))
        criteria += self.criteria
        for criterion in criteria:
            criterion.check(table)
        return tuple(dict.fromkeys(criteria))

    def evaluator(self, table: EncodedTable) -> Evaluator:
        """The request made ready for one table."""
        if self.k > table.total:
            raise InfeasibleError(
                f"k = {self.k:,} is more than the table has records; lower k, or give a larger table."
            )
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
        suppressed = violations(evaluator.criteria, classes)
        if suppressed.all():
            raise unreachable(evaluator)
        recoding = evaluator.classes.recoding(node)
        kept = replace(table, counts=table.counts.suppress(suppressed[classes.labels]))
        return Outcome.recoded(
            table, recoding, recoding.apply(kept), classes=classes, suppressed=suppressed, search=search
        )


def unreachable(evaluator: Evaluator) -> InfeasibleError:
    """Say which criterion cannot be met, and how far the table is from it even when everything is generalized."""
    top = evaluator.classes.at(evaluator.lattice.top)
    whole = np.ones(len(top), dtype=np.bool_)
    failing = [c for c in evaluator.criteria if c.violations(top, whole).any()]
    limit = evaluator.allowed / max(evaluator.table.total, 1)
    if not failing:
        return InfeasibleError(
            f"no recoding meets the request with at most {limit:.2%} of the records left out, although each criterion "
            "is met when everything is generalized; raise suppression_limit."
        )
    reasons = "; ".join(f"{c.statement}: the whole table reaches {_reached(c, top, whole)}" for c in failing)
    return InfeasibleError(
        f"even with every quasi-identifier hidden the request cannot be met ({reasons}). "
        "Lower this criterion, or remove or merge sensitive values."
    )


def _reached(criterion: Criterion, classes: Any, published: Any) -> str:
    return f"{criterion.worst(criterion.measure(classes, published)):.4g}"
