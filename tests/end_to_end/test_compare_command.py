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
