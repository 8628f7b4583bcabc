"""Columns that are counted together: `group` (two or three), `cuts` and `boxes` (how finely), `choosing` (which)."""
