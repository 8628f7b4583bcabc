"""Where the table comes from.

`choosing` (a dropped file, a database, the example) and `writing` (how the file is written).
"""
