"""What is needed for the page, told in one sentence; and who else listens on its port."""

import importlib.util
import socket
import subprocess
import sys

import pytest

from shoal.errors import OutputError, ParameterError
from shoal.serve.server import require_page, serve


def test_without_its_library_the_page_says_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(ParameterError, match=r'pip install "shoal\[page\]"'):
        require_page()


def test_a_port_that_is_taken_is_told_before_anything_starts(tmp_path):
    pytest.importorskip("nicegui")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(OutputError, match=r"port \d+ cannot be used"):
            serve(port=taken.getsockname()[1], base=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_the_library_and_the_processes_of_tabs_do_without_the_page():
    script = "import sys, shoal, shoal.serve.work.jobs; sys.exit(any(m in sys.modules for m in ('nicegui', 'fastapi')))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
