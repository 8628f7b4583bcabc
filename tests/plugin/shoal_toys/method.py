"""A method in one file."""

from dataclasses import dataclass, replace
from typing import ClassVar

from shoal.criteria import Criterion, KAnonymity
from shoal.data.outcome import Outcome
from shoal.data.recoding import FullDomain
from shoal.data.schema import Role
from shoal.methods import Publishes
from shoal.parameters import Count, read_parameters


@dataclass(frozen=True, kw_only=True)
class KeepFrequent(Publishes):
    """Publish records at some level, where k or more share their quasi-identifiers there."""

    name: ClassVar[str] = "keep-frequent"
    promises_k_anonymity: ClassVar[bool] = True

    k: Count = 5
    level: int = 0
    criteria: tuple[Criterion, ...] = ()

    def __post_init__(self):
        """Read what was given."""
        read_parameters(self)

    def counted(self, schema):
        """Quasi-identifiers and sensitive columns."""
        return schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE)

    def promises(self, table):
        """k-anonymity, and what else is asked."""
        del table
        return (KAnonymity(self.k), *self.criteria)

    def run(self, table, **_not_needed):
        """Leave out what is rare."""
        quasi = table.quasi_identifiers
        recoding = FullDomain({a.name: min(self.level, a.hierarchy.height) for a in quasi})
        recoded = recoding.apply(table)
        label, groups = recoded.group([a.name for a in quasi])
        rare = recoded.project([a.name for a in quasi]).sizes < self.k
        assert len(rare) == groups
        return Outcome.recoded(replace(table), recoding, recoded.suppress(rare[label]))
