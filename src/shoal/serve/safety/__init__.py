"""Who may talk to the page, and where what was uploaded is kept.

`access` (the secrets of one start), `guard` (asked before everything), `page_policy` (what a page may load),
`private_folder` (uploads, gone at the end), `names` (of files), `quiet_logs`.
"""
