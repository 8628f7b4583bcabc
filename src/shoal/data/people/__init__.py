"""Whom records are about.

`persons` is what the owner says of it and what a table says against it, `incidence` who has which distinct records,
`capping` draws some records of each person, `survey_weights` say how many of the population each stands for,
`households` who lives together, and `pseudonyms` and `sequences` protect records that are published as one person's.
"""
