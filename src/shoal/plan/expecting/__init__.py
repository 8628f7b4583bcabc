"""What a run is likely to give, told before anything is read or spent: from public quantities alone.

Read `expecting` first; then a method each: `safepub`, `diffgen`, `microaggregation`, `k_epsilon`, `marginals`;
`words` says shares in words, `clipped_noise` how far noise moves a number that is kept within its domain. `parts` has
single numbers for whoever says them in words of their own: the page, in its languages.
"""

from shoal.plan.expecting.expectation import Expectation
from shoal.plan.expecting.expecting import expected

__all__ = ["Expectation", "expected"]
