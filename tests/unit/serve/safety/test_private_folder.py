"""Uploads are in a folder that nobody else can enter, and gone afterwards, also after a kill."""

import os
import stat
import subprocess
import sys
import tempfile

import pytest

from shoal.errors import OutputError
from shoal.serve.safety.names import safe_name
from shoal.serve.safety.private_folder import private_folder


def test_a_folder_is_private_and_removed(tmp_path):
    before = tempfile.gettempdir()
    with private_folder(tmp_path / "base") as folder:
        (folder / "upload").write_text("secret")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert tempfile.gettempdir() == str(folder)
        with private_folder(tmp_path / "base") as other:
            assert other != folder
            assert (folder / "upload").exists()  # somebody works with it
    assert [path.name for path in (tmp_path / "base").iterdir()] == ["lock"]
    assert tempfile.gettempdir() == before


def test_what_a_killed_page_left_is_removed_by_the_next(tmp_path):
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom shoal.serve.safety.private_folder import private_folder\n"
        "with private_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'upload').write_text('secret')\n    os.kill(os.getpid(), 9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert killed.returncode == -9
    assert list(tmp_path.rglob("upload"))
    with private_folder(tmp_path):
        assert not list(tmp_path.rglob("upload"))


def test_a_place_that_others_can_write_to_is_closed_first(tmp_path):
    tmp_path.chmod(0o777)
    with private_folder(tmp_path):
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_a_place_that_cannot_be_used_is_told_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"cannot be written"), private_folder(tmp_path / "file" / "base"):
        pass


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("people.csv", "people.csv"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("", "table"),
        ("....", "table"),
        (".bashrc", "table.bashrc"),
        ("a\x00b\n.csv", "a_b.csv"),
        ("CON.csv", "CON_.csv"),
        ("Bevölkerung 2024.csv.gz", "Bevolkerung_2024.csv.gz"),
        ("<script>alert(1)</script>.parquet", "script.parquet"),
        ("x" * 500 + ".csv", "x" * 80 + ".csv"),
    ],
    ids=range(11),
)
def test_names_of_files_are_made_harmless(given, safe):
    assert safe_name(given) == safe
    assert os.sep not in safe_name(given)
