"""What is seen.

`shell` (the frame of the page and its steps), a file for each step, `controls` (the browser's own, labeled), `pieces`
(tables and sketches), `doing` (jobs that a button starts).
"""
