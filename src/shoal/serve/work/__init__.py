"""What is done for a tab, in processes of its own: the event loop only waits.

`worker` (a process and its pipe, seen from the page), `process` (what runs there), `jobs` (by name), and the jobs:
`looking`, `checking`, `hierarchies`, `running`, `exploring`, `stand_in`. Each does what a command does, and
gives back plain values.
"""
