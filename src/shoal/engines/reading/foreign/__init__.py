"""Files of other programs: workbooks, Stata, SPSS, SAS, R.

Other people's libraries read them, and some of these crash or hang on a damaged file. So a process of its own does
(`child`, which asks `workbooks`, `statistics` or `r_frames`), `process` waits for it, and `source` makes of what comes
a source like any other, with what the file says about its codes (`codebook`).
"""
