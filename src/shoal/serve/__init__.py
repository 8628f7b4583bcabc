"""The page of `shoal serve`: the same plan, pipeline and report in a browser, on this machine only.

Read `server` (what listens), `safety/` (who may ask, and where uploads are), `work/` (processes that do what the
command line does), `tabs` (what a browser tab is working on), `routes` (bytes in and out), `view/` (what is seen),
`texts/` (every word of it).
Nothing is decided here: a tab edits a release file, and the library does what the file says.
"""
