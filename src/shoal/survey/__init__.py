"""A first look at a table: what its columns seem to be, and a release file to correct."""
