"""Searching the generalization lattice."""
