import json


def test_releases_are_compared_for_the_owner(desk):
    done = desk.done("compare", "release.toml", "--grid", "k=2,3", "-o", "comparison", "--jobs", "1")
    assert "optimal-lattice k=2" in done
    assert "no differentially private guarantee covers that choice" in done
    written = {path.name for path in (desk.folder / "comparison").iterdir()}
    assert written == {"trials.jsonl", "figures.csv", "figures.parquet", "comparison.html"}
    figures = (desk.folder / "comparison" / "figures.csv").read_text().splitlines()
    assert len(figures) == 3
    assert "exists already" in desk.refused("compare", "release.toml", "-o", "comparison")
    again = desk.done("compare", "release.toml", "--grid", "k=2,3", "-o", "comparison", "--resume", "--json")
    assert len(json.loads(again)["releases"]) == 2


def test_a_comparison_that_makes_no_sense_changes_nothing(desk):
    for arguments, sentence in {
        ("--methods", "mondrean"): "is not a method",
        ("--grid", "k"): "such as epsilon=0.5,1,2",
        ("--learner", "oracle"): "is no learner",
    }.items():
        assert sentence in desk.refused("compare", "release.toml", *arguments, code=2)
    assert "there is no column 'shoe'" in desk.refused("compare", "release.toml", "--target", "shoe")


def test_a_figure_that_is_no_number_is_none_for_machines(desk):
    """Where one column does not vary there is no dependence to keep."""
    (desk.folder / "one.csv").write_text("town,job\n" + "".join(f"A,{'xyz'[i % 3]}\n" for i in range(60)))
    (desk.folder / "one.toml").write_text(
        '[data]\npath = "one.csv"\n[columns.town]\nrole = "quasi-identifier"\n'
        '[columns.job]\nrole = "quasi-identifier"\n[method]\nname = "mondrian"\nk = 2\n'
    )
    asked = ("compare", "one.toml", "--grid", "k=2,3", "--jobs", "1", "-o", "comparison", "--json")
    first = json.loads(desk.done(*asked))["releases"]
    assert [row["information_kept"] for row in first] == [None, None]
    assert json.loads(desk.done(*asked, "--resume"))["releases"] == first
