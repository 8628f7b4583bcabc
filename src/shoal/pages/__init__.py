"""Pages for the owner's eyes: the report of a release, a comparison, attacks tried."""
