"""How many records a drawn one stands for: `raking` (weights that fit tables), `rounding` (whole numbers of them)."""
