"""Whom records are about, beside who has which (`data/incidence.py`).

`capping` draws some records of each person, `survey_weights` say how many of the population each stands for, and
`households` who lives together.
"""
