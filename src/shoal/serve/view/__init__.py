"""What is seen.

`shell` (the frame of the page and its steps), `steps/` (a file each), `table/` (where it comes from), `column/` (one
column being edited), `results/` (what is done with releases that were made), `parts/` (what all of them are made of).
"""
