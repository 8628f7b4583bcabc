"""Guesses by names and values: `roles` decides, `patterns` knows how identifiers are written, `known_lists` codes."""
