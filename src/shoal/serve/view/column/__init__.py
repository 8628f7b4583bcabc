"""One column being edited: `hierarchy` (how values are joined, and what comes of it)."""
