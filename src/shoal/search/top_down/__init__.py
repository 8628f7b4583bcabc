"""A cut that grows from the top: its groups, what candidates are worth, which are admissible."""
