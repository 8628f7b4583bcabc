"""Mechanisms: each has a law, a price and a draw, and charges for it in the same function."""
