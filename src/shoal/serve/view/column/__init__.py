"""One column being edited.

`hierarchy` (the whole, with the levels and the tree that come of it), `domain` (possible values), `recipes` (how they
are joined), `groups` (by dragging), `cells` (how they are written), `editing` (into the release file).
"""
