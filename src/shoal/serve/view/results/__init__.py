"""What is done with releases that were made.

`certificate` (what is promised), `comparing` (side by side), `attacks` (at a click), `signing`, and
`stand_in` (a method tried on records that nobody has).
"""
