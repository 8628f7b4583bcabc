"""Tables of many columns: `costs` says which ones matter, `given_roles` and `together` speak of many at once."""
