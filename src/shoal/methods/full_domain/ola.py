"""OLA: optimal lattice anonymization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.methods.full_domain.request import FullDomainRequest, unreachable
from shoal.progress import Progress, silent
from shoal.search.best_minimal import best_minimal_node
from shoal.search.minimal import minimal_nodes

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Outcome
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger

_SMALL_LATTICE = 50_000
"""Up to so many nodes all minimal recodings are found, and counted; of a larger lattice the best of them."""


@dataclass(frozen=True, kw_only=True)
class OLA(FullDomainRequest):
    """Find the minimal recodings that meet the request, and take the one of them that loses least.

    Minimal: no quasi-identifier could be left one level finer. With suppression, a coarser recoding can lose less than
    every minimal one (`OptimalLattice` finds it); OLA is what the literature compares with.

    Guarantee: k-anonymity and the other criteria of the request, verified on the published table.
    Paper: El Emam et al. 2009.
    """

    name: ClassVar[str] = "ola"

    def run(
        self,
        table: EncodedTable,
        *,
        ledger: Ledger | None = None,
        coins: Coins | None = None,
        progress: Progress = silent,
    ) -> Outcome:
        """Tag the lattice, then choose among its minimal admissible nodes."""
        del ledger  # not needed: nothing is drawn but pseudonyms
        evaluator = self.evaluator(table)
        if evaluator.is_bounded and evaluator.lattice.size > _SMALL_LATTICE:
            found = best_minimal_node(evaluator, self.fixed(table), progress)
            counted = {}
        else:
            minimal = minimal_nodes(evaluator, self.fixed(table), progress)
            found = min(((evaluator.price(node, evaluator.classes)[0], node) for node in minimal), default=None)
            counted = {"minimal recodings": len(minimal)}
        if found is None:
            raise unreachable(evaluator)
        loss, node = found
        told = {"lattice": evaluator.lattice.size, "evaluated": evaluator.evaluated, **counted, "loss": loss}
        return self.decide(evaluator, node, told, coins)
