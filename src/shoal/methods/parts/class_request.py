"""What is asked of the classes of a release, whatever method makes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.criteria import Closeness, Criterion, FrequencyDiversity, KAnonymity
from shoal.criteria.base import counted_in
from shoal.data.classes import Classes
from shoal.data.schema import Role, Schema
from shoal.data.unit import Unit
from shoal.errors import InfeasibleError, ParameterError, SchemaError, listed
from shoal.methods.base import Publishes
from shoal.methods.parts.declared import require_quasi_identifiers
from shoal.parameters import Count, Diversity, exact, plain, read_parameters

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable


@dataclass(frozen=True, kw_only=True)
class ClassRequest(Publishes):
    """What every class of published records must meet.

    Attributes:
        k: Every published record shares its quasi-identifiers with at least k − 1 others.
        diversity: ℓ: no sensitive value has more than the share 1/ℓ of a class, for every sensitive column; any number
            from 1 up.
        closeness: t: sensitive values of a class are within this distance of the table's, for every sensitive column.
        criteria: Further criteria, each with its column.
    """

    promises_k_anonymity: ClassVar[bool] = True
    recodes_populations: ClassVar[bool] = False
    """Whether a table of the population can be recoded as the records are."""

    k: Count = 5
    diversity: Diversity | None = None
    closeness: float | None = None
    criteria: tuple[Criterion, ...] = ()

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.closeness is not None:
            Closeness(self.closeness, "")  # checks its parameter

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """Quasi-identifiers and sensitive columns."""
        require_quasi_identifiers(schema)
        is_diverse = self.diversity is not None and exact(self.diversity) > 1
        if self.k == 1 and not (is_diverse or self.closeness is not None or self.criteria):
            raise one_is_no_company()
        needs_sensitive = [
            n for n, v in (("diversity", self.diversity), ("closeness", self.closeness)) if v is not None
        ]
        if needs_sensitive and not schema.names(Role.SENSITIVE):
            raise SchemaError(
                f"{needs_sensitive[0]} protects sensitive columns, and no column has this role; "
                "give the role 'sensitive' to what nobody may learn about a person."
            )
        self._require_population(schema)
        return schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)

    def _require_population(self, schema: Schema) -> None:
        """Refuse criteria about a population that nothing tells of, before a row is read."""
        for criterion in self.criteria:
            if getattr(criterion, "by_weights", False) and schema.weight is None:
                raise SchemaError(
                    f"{criterion.name} asks how many of the population a record stands for, and nothing says so; name "
                    "the column of weights in weight of [data], or, for k-map, a table in population."
                )
            if getattr(criterion, "population", None) is not None and not self.recodes_populations:
                raise ParameterError(
                    f"{criterion.name} compares with a table of the population, which this method cannot recode as it "
                    "recodes records; choose optimal-lattice or ola."
                )

    def asked(self, sensitive: Iterable[str], unit: Unit) -> tuple[Criterion, ...]:
        """k-anonymity first, then what is asked about sensitive columns: all of it of persons, where they are known."""
        criteria: list[Criterion] = [KAnonymity(self.k)]
        for name in sensitive:
            if self.diversity is not None:
                criteria.append(FrequencyDiversity(plain(self.diversity), name))
            if self.closeness is not None:
                criteria.append(Closeness(self.closeness, name))
        criteria += self.criteria
        return tuple(dict.fromkeys(counted_in(criterion, unit) for criterion in criteria))

    def promises(self, table: EncodedTable) -> tuple[Criterion, ...]:
        """All that is asked; refuses a table for which it has no meaning."""
        asked = self.asked([attribute.name for attribute in table.sensitive], table.unit)
        for criterion in asked:
            criterion.check(table)
        return asked

    def require_enough(self, table: EncodedTable) -> None:
        """Refuse a table with fewer than k records, or persons."""
        if self.k > table.people:
            raise InfeasibleError(
                f"k = {self.k:,} is more than the table has {table.unit.plural}; lower k, or give a larger table."
            )


def unmet_by_one_class(criteria: Sequence[Criterion], whole: Classes) -> InfeasibleError | None:
    """The error that says which criteria the whole table as one class does not meet; None if it meets all."""
    everything = np.ones(len(whole), dtype=np.bool_)
    failing = [criterion for criterion in criteria if criterion.violations(whole, everything).any()]
    if not failing:
        return None
    reached = [f"{c.worst(c.measure(whole, everything)):.4g}" for c in failing]
    reasons = "; ".join(f"{c.statement}: the whole table reaches {r}" for c, r in zip(failing, reached, strict=True))
    return InfeasibleError(
        f"even with every quasi-identifier hidden the request cannot be met ({reasons}). "
        f"Lower this criterion, or remove or merge sensitive values{_in_the_way(criteria, failing)}."
    )


def _in_the_way(criteria: Sequence[Criterion], failing: Sequence[Criterion]) -> str:
    """Which of several sensitive columns makes a request infeasible, and how to ask for the others alone."""
    found = []
    for kind in dict.fromkeys(type(criterion) for criterion in failing):
        alike = [criterion for criterion in criteria if type(criterion) is kind and hasattr(criterion, "column")]
        met = [criterion for criterion in alike if criterion not in failing]
        columns = [getattr(criterion, "column") for criterion in alike if criterion in failing]  # noqa: B009
        if met and columns:
            asked = f'{{ name = "{kind.name}", column = "{getattr(met[0], "column")}", ... }}'  # noqa: B009
            others = listed(getattr(criterion, "column") for criterion in met)  # noqa: B009
            found.append(
                f"; {listed(columns)} alone is in the way, and {others} would do: ask for that alone, with "
                f"criteria = [{asked}] in place of a number for all sensitive columns"
            )
    return "".join(found)


def one_is_no_company() -> ParameterError:
    """A class of one record is the record."""
    return ParameterError(
        "k = 1 publishes every record as it is, which protects nobody; write 2 or more, 5 if you do not know, or say "
        "what else is asked of classes (diversity, closeness, criteria)."
    )
