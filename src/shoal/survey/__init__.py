"""A first look at a table: what its columns seem to be, how anonymous it is (`measuring`), a first release file."""
