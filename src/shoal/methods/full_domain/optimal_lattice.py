"""The full-domain recoding that loses least, over the whole generalization lattice."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import ParameterError
from shoal.methods.full_domain.request import FullDomainRequest, unreachable
from shoal.progress import Progress, silent
from shoal.search.blocks.every_score import adds_up, best_of_scores, has_every_score
from shoal.search.evaluator import Evaluator
from shoal.search.exhaustive import best_of_all
from shoal.search.optimal import Deadline, best_node, finest_equal

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Outcome
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger

_SMALL_LATTICE = 50_000
_MOST_VISITS = 10**10
"""Distinct records times nodes: what looking at every node can do in some ten seconds."""
_A_MINUTE = 60.0


@dataclass(frozen=True, kw_only=True)
class OptimalLattice(FullDomainRequest):
    """Find the full-domain recoding that loses least among all that meet the request.

    Every column is generalized to one level of its hierarchy; classes that still violate a criterion are left out, at
    most `suppression_limit` of the records. The search over all combinations of levels is exact; where lattices have
    millions of nodes it may stop at `time_limit`, and says how far from the optimum it may be. Which classes of a
    combination are left out is certain where each is judged by itself, and a stated rule where classes are compared
    with the published table (docs/methods/full_domain.md).

    Attributes:
        time_limit: Seconds after which the best recoding seen so far is taken; None in Python for no limit.

    Guarantee: k-anonymity and the other criteria of the request, verified on the published table.

    Example:
        >>> import pyarrow as pa, shoal
        >>> illness = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> table = pa.table({"age": [31, 33, 38, 52, 55, 57], "illness": illness})
        >>> schema = (
        ...     shoal.Schema()
        ...     .with_column("age", role="quasi-identifier", domain=(0, 99), hierarchy=shoal.intervals(10, 20))
        ...     .with_column("illness", role="sensitive")
        ... )
        >>> release = shoal.OptimalLattice(k=3).anonymize(table, schema)
        >>> sorted(set(release.data["age"].to_pylist()))
        ['30-39', '50-59']
    """

    name: ClassVar[str] = "optimal-lattice"

    time_limit: float | None = _A_MINUTE

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.time_limit is not None and not self.time_limit > 0:
            raise ParameterError(f"time_limit is a number of seconds above 0; got {self.time_limit!r}.")

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Search the lattice, then recode."""
        del ledger  # not needed: nothing is drawn but pseudonyms
        evaluator, deadline = self.evaluator(table), Deadline(self.time_limit or inf)
        if self._exhausts(evaluator):
            best = best_of_scores if has_every_score(evaluator) else best_of_all
            found = best(evaluator, progress=progress, fixed=self.fixed(table))
        else:
            found = best_node(evaluator, deadline=deadline, progress=progress, fixed=self.fixed(table))
        if found is None:
            raise unreachable(evaluator)
        found = finest_equal(evaluator, found, self.fixed(table), deadline)
        return self.decide(
            evaluator,
            found.node,
            {
                "lattice": found.lattice,
                "evaluated": found.evaluated,
                "loss": found.loss,
                "no recoding loses less than": found.least,
                "optimal": found.is_optimal,
                "searched": f"all recodings of the lattice{self._above}, each leaving out {evaluator.suppression}",
            },
            coins,
        )

    @property
    def _above(self) -> str:
        levels = ", ".join(f"{name} at level {level}" for name, level in self.floors.items())
        return f" with {levels} or above" if levels else ""

    def _exhausts(self, evaluator: Evaluator) -> bool:
        """Whether looking at every node is cheaper than bounding: few nodes, and a model that bounds tell little of."""
        nodes, records = evaluator.lattice.size, len(evaluator.table.counts)
        return (
            (self.time_limit is None or self.time_limit >= _A_MINUTE)  # it cannot be stopped
            and evaluator.allowed > 0
            and (adds_up(evaluator) or not evaluator.is_bounded)
            and nodes <= _SMALL_LATTICE
            and nodes * records <= _MOST_VISITS
        )
