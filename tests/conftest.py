"""What all tests share: Hypothesis profiles, and when slow tests run.

`pytest` draws the same examples every time; `pytest --hypothesis-profile=long` draws ten times as many fresh ones.
"""

from itertools import count

import pytest
from hypothesis import Phase, settings

import shoal

QUICK = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]  # explaining a failure takes longer than finding it

settings.register_profile("default", deadline=None, derandomize=True, max_examples=100, phases=QUICK)
settings.register_profile("long", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("default")


def pytest_collection_modifyitems(config, items):
    """Slow tests run only when they are asked for, as `make slow` does."""
    if "slow" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow; `pytest -m slow` runs it"))


_HOMES = count()


@pytest.fixture(autouse=True)
def _no_books_of_the_user(tmp_path_factory, monkeypatch):
    """The ledger in the user's data folder is not for tests: limits and spending there would outlive them."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / f"home-{next(_HOMES)}"))


@pytest.fixture(autouse=True)
def _nobody_keeps_books():
    """A release that names no ledger would say that nothing adds it up; tests know."""
    with shoal.set_ledger(None):
        yield


@pytest.fixture(autouse=True, scope="session")
def _every_release_file_that_is_understood_is_valid():
    """The schema for editors refuses nothing that a plan takes, whichever test writes the release file."""
    from release_schema import complaints

    from shoal.plan import plan

    understood = plan._plan

    def checked(content, path, folder):
        found = understood(content, path, folder)
        assert not complaints(content)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "_plan", checked)
        yield
