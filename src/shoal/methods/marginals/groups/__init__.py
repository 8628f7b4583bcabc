"""Columns that are counted together: `group`, `cuts` and `boxes` (how finely), `choosing` and `company` (which)."""
