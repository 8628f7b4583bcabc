"""Ready-made hierarchies: public lists that ship with Shoal, and rules that follow from how codes are built.

They were made without any data, so that they serve differential privacy too: the list is the declared domain. Read
`catalog` (what there is), `tables` (lists, as outlines in `tables/`), `rules` (ages, zip codes, codes whose first
characters mean most), then `standard`, the recipe. `tools/standard_hierarchies.py` makes the lists.
"""
