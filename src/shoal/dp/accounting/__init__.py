"""Prices: neighboring relations, costs, composition, and what sampling and a threshold are worth."""
