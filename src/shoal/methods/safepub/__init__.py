"""SafePub: truthful records, sampled and generalized, differentially private.

Read `method` first; then `candidates` (schemes that see no data), `expected_scores` (what a scheme is expected to
publish), `sampled_scores` (for quality models that somebody brings along), `published` (the paper's own search).
"""

from shoal.methods.safepub.method import SafePub

__all__ = ["SafePub"]
