"""Distances between records, orders of records, and clusters of at least k of them."""
