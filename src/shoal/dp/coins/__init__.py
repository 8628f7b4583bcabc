"""Randomness: exact draws from operating-system bits, one by one and in bulk.

Read `coins` first; then `bits` (where randomness comes from), `samplers` (draws one by one), `bulk` and
`many_exponents` (many at once), `enclosures`, `brackets` and `tail` (bounds that make them exact), `sampling_rate`.
"""
