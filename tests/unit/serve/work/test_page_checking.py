"""What the page says of a release file before a row is read."""

from shoal.examples import write_example
from shoal.progress import silent
from shoal.serve.work.checking import check


def test_all_that_is_asked_of_a_release_is_said_beforehand(tmp_path):
    write_example(tmp_path)
    answer = check(str(tmp_path), progress=silent)
    assert "problem" not in answer
    assert answer["promised"] == [
        "5-anonymous: every record shares its quasi-identifiers with at least 4 others",
        "no value of 'diagnosis' has more than 1/2 of any class (2-diverse by frequency)",
    ]
