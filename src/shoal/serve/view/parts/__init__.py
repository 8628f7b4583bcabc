"""What steps are made of.

`controls` (the browser's own, labeled), `pieces` (tables, sketches, notes), `redrawing` (only what differs is sent to
the browser), `doing` (jobs that a button starts).
"""
