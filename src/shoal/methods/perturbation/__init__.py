"""Values changed by chance, record by record: PRAM for categories, rank swapping and noise for numbers.

Read `request` first, which is what they have in common; then `pram` with `transitions`, `rank_swapping` with
`swapping_kernel`, `noise`.
"""

from shoal.methods.perturbation.noise import Noise
from shoal.methods.perturbation.pram import PRAM
from shoal.methods.perturbation.rank_swapping import RankSwapping
from shoal.methods.perturbation.transitions import unbiased_frequencies

__all__ = ["PRAM", "Noise", "RankSwapping", "unbiased_frequencies"]
