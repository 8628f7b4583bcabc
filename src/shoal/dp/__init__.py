"""Randomness with a price: what is promised, what it costs, and the only places where coins are tossed."""
