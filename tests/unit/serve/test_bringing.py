"""A release file from somebody else: nothing outside of its folder is read or written."""

import zipfile

import pytest

from shoal.errors import PlanError
from shoal.serve.bringing import brought

PLAN = '[data]\npath = "/anywhere.csv"\n[columns.age]\nrole = "sensitive"\nhierarchy = "hierarchies/age.csv"\n'


def archive(folder, entries):
    path = folder / "incoming-plan.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in entries.items():
            opened.writestr(name, text)
    return path


def test_an_archive_gives_the_file_and_its_hierarchies_and_nothing_else(tmp_path):
    entries = {
        "x/release.toml": PLAN,
        "x/hierarchies/age.csv": "1,*",
        "../../hierarchies/../hierarchies/e v il.csv": "2,*",
        "x/people.csv": "a",
        "x/hierarchies/program.py": "a",
    }
    content, files = brought(archive(tmp_path, entries))
    assert content["columns"]["age"]["role"] == "sensitive"
    assert files == {"hierarchies/age.csv": "1,*", "hierarchies/e_v_il.csv": "2,*"}


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../age.csv", "a/../../age.csv", "C:\\\\age.csv", "s3://bucket/age.csv"]
)
def test_a_path_out_of_the_folder_is_refused(tmp_path, path):
    (tmp_path / "incoming-plan.toml").write_text(PLAN.replace("hierarchies/age.csv", path))
    with pytest.raises(PlanError, match=r"plan\.toml: hierarchy points out of the folder") as refused:
        brought(tmp_path / "incoming-plan.toml")
    assert path not in str(refused.value)


def test_a_ledger_elsewhere_is_refused_too(tmp_path):
    (tmp_path / "incoming-plan.toml").write_text('[budget]\nledger = "/tmp/other"\n')
    with pytest.raises(PlanError, match="ledger points out"):
        brought(tmp_path / "incoming-plan.toml")


@pytest.mark.parametrize(
    "content", [b"[data", b"PK nothing", b"\xff\xfe\x00"], ids=["no TOML", "no archive", "no text"]
)
@pytest.mark.parametrize("ending", ["toml", "zip"])
def test_what_cannot_be_read_is_told_in_one_sentence(tmp_path, content, ending):
    path = tmp_path / f"incoming-plan.{ending}"
    path.write_bytes(content)
    with pytest.raises(PlanError, match=rf"plan.{ending} is no release file that can be read"):
        brought(path)


def test_an_archive_that_swells_is_refused(tmp_path):
    with pytest.raises(PlanError, match="is no release file"):
        brought(archive(tmp_path, {"release.toml": PLAN, "hierarchies/a.csv": bytes(65 << 20)}))
