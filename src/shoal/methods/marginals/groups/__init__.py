"""Columns that are counted together: `group` (tables of two or three), `cuts` (how finely), `choosing` (which)."""
