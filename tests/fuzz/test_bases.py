"""What `make fuzz` damages is sound, and goes through: else it would find nothing, or not begin."""

import pytest
from bases import bases
from judging import one_run
from observing import Server


@pytest.mark.slow
def test_everything_goes_through_before_it_is_damaged(tmp_path):
    server = Server()
    try:
        for number, base in enumerate(bases(tmp_path / "bases", server)):
            folder = tmp_path / str(number)
            found, code, _ = one_run(server, base, base.content, folder)
            assert (found, code) == ([], 0), (base.kind, base.folder.name, (folder / "stderr").read_text())
    finally:
        server.close()
