"""What appears on the disk whole or not at all, and what only its owner may read.

`folders` (results), `together` (text files), `owner_only` (modes that keep others out).
"""
