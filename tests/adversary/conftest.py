"""One server for all tests of a process."""

import pytest
from observing import Server


@pytest.fixture(scope="session")
def server():
    """Where runs are made."""
    started = Server()
    yield started
    started.close()
