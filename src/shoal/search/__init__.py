"""Searching the generalization lattice; `integer_program.py` decides what no lattice describes."""
