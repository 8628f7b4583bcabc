"""What the audits offer is documented; that the examples of their pages run, `test_docs` sees."""

import shoal.audit


def test_every_public_name_is_documented():
    for name in shoal.audit.__all__:
        assert getattr(shoal.audit, name).__doc__
