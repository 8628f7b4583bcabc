"""A method with a price, in one file: everything that it does not say, `Publishes` answers on the safe side."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.methods import Publishes
from shoal.methods.parts.declared import declared_columns
from shoal.parameters import Number, exact, read_parameters
from shoal.promises.guarantee import Basis, Guarantee


@dataclass(frozen=True, kw_only=True)
class NoisyCount(Publishes):
    """Publish as many records as there are, about, with every value hidden."""

    name: ClassVar[str] = "noisy-count"
    reading: ClassVar[str] = "How many records there are, about, and nothing about them."

    epsilon: Number

    def __post_init__(self):
        """Read what was given."""
        read_parameters(self)

    @property
    def cost(self):
        """What a release costs."""
        return PrivacyCost(exact(self.epsilon))

    def counted(self, schema):
        """All published columns."""
        return declared_columns(schema, self.name)

    def guarantees(self, outcome):
        """Differential privacy."""
        del outcome
        said = f"({float(exact(self.epsilon)):g})-DP"
        return (Guarantee(said, Basis.PROVED, ("one record for each person",), Neighbors.ADD_REMOVE, cost=self.cost),)

    def run(self, table, *, ledger, coins, **_not_needed):
        """Count, with noise."""
        nobody = self.nothing(table)
        noise = DiscreteLaplace(epsilon=exact(self.epsilon), sensitivity=1)
        noisy = noise.add(np.array([table.counts.kept], dtype=np.int64), coins, ledger, "count the records")
        if noisy[0] < 1:
            return nobody
        names, widths = nobody.published.names, nobody.published.cardinalities
        zeros = [np.zeros(1, dtype=np.int64) for _ in names]
        return Outcome.recoded(table, nobody.recoding, Counts.of(names, zeros, widths, noisy))
