"""Class sizes and scores of many nodes of a lattice at once."""
