"""Compiled kernels are found again, are never stale, and a folder that cannot keep them stops nobody."""

import errno
import importlib.util
import subprocess
import sys

import numba
import pytest

from shoal.kernels.kept import Kept
from shoal.progress import told_of_compiling

CONSTANT = "FACTOR = {factor}\n"
HELPER = """
from shoal.kernels.jit import compiled

@compiled
def added(x):
    return x + {summand}
"""
KERNEL = """
import sys
from shoal.kernels.jit import compiled
from constant_{tag} import FACTOR
from helper_{tag} import added

@compiled
def kernel(x):
    return added(x) * FACTOR
"""


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """Loads the kernel of three files as a new process would, and says what was compiled when it was called with 1."""
    monkeypatch.setattr(numba.core.config, "CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.syspath_prepend(tmp_path)
    tag = f"{id(tmp_path):x}"

    def load(factor=2, summand=1):
        texts = {"constant": CONSTANT, "helper": HELPER, "kernel": KERNEL}
        for name, text in texts.items():
            path = tmp_path / f"{name}_{tag}.py"
            written = text.format(factor=factor, summand=summand, tag=tag)
            if not path.exists() or path.read_text() != written:  # older numba goes by the time of a file
                path.write_text(written)
            spec = importlib.util.spec_from_file_location(path.stem, path)
            monkeypatch.setitem(sys.modules, path.stem, importlib.util.module_from_spec(spec))
            spec.loader.exec_module(sys.modules[path.stem])
        return sys.modules[f"kernel_{tag}"].kernel

    return load


def called(kernel):
    """What the kernel gives, and what was compiled for it."""
    told = []
    with told_of_compiling(lambda task, done: told.append((task, done))):
        return kernel(1), [task.split()[1] for task, done in told if not done]


def test_a_kernel_is_compiled_once_and_told_of(loaded):
    assert called(loaded()) == (4, ["kernel", "added"])
    assert called(loaded()) == (4, [])


def test_what_a_kernel_leans_on_makes_it_stale(loaded):
    called(loaded())
    assert called(loaded(factor=3)) == (6, ["kernel"])  # a constant from another file
    assert called(loaded(factor=3, summand=2)) == (9, ["kernel", "added"])  # a kernel from another file


def test_a_damaged_file_is_compiled_over(loaded, tmp_path):
    called(loaded())
    for path in (tmp_path / "kept").rglob("kernel*.nbc"):
        path.write_bytes(path.read_bytes()[:100])
    assert called(loaded()) == (4, ["kernel"])
    assert called(loaded()) == (4, [])


@pytest.mark.parametrize("what", [errno.ENOSPC, errno.EROFS])
def test_a_folder_that_is_full_or_read_only_stops_nobody(loaded, monkeypatch, what):
    def full(*_):
        raise OSError(what, "no")

    kernel = loaded()
    assert isinstance(kernel._cache, Kept)
    monkeypatch.setattr(type(kernel._cache._cache_file), "save", full)
    assert called(kernel) == (4, ["kernel", "added"])
    assert called(loaded()) == (4, ["kernel", "added"])


def test_without_any_folder_kernels_are_compiled_each_time(loaded, monkeypatch):
    def nowhere(*_):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(Kept, "__init__", nowhere)
    assert loaded()(1) == 4


def test_kept_kernels_load_neither_the_compiler_nor_scipy():
    """Mondrian's kernel sums, sorts and searches, for which numba has modules that need SciPy."""
    program = """
import sys
import pyarrow as pa
import shoal
frame = pa.table({"a": [i // 4 for i in range(40)], "b": [i % 4 for i in range(40)]})
schema = shoal.Schema().with_column("a", role="quasi-identifier").with_column("b", role="quasi-identifier")
release = shoal.Mondrian(k=2).anonymize(frame, schema)
print(len(release.data), "numba.np.arraymath" in sys.modules, "scipy.linalg" in sys.modules)
"""
    run = [sys.executable, "-c", program]
    subprocess.run(run, check=True, capture_output=True)  # compiles, if nobody has yet
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout.split() == ["40", "False", "False"]
