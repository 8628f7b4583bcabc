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


def test_each_need_has_an_answer(desk):
    records = "".join(f"{20 + i % 50},{'fm'[i % 2]},{'yn'[i % 3 % 2]}\n" for i in range(300))
    (desk.folder / "few.csv").write_text("age,sex,ill\n" + records)
    (desk.folder / "few.toml").write_text(
        '[data]\npath = "few.csv"\nperson = "row"\n[columns.age]\nrole = "quasi-identifier"\n'
        'domain = { from = 0, to = 99 }\n[columns.sex]\nrole = "quasi-identifier"\ndomain = ["f", "m"]\n'
        '[columns.ill]\nrole = "sensitive"\ndomain = ["y", "n"]\n[method]\nname = "mondrian"\nk = 5\n'
    )
    asked = ("--methods", "mondrian,safepub,microaggregation-dp,k-epsilon", "-o", "comparison", "--jobs", "1", "--json")
    found = json.loads(desk.done("compare", "few.toml", *asked))
    made = {row["method"]: row for row in found["releases"] if "problem" not in row}
    assert made.keys() == {"mondrian", "safepub", "microaggregation-dp", "k-epsilon"}
    assert 0 <= made["mondrian"]["auc"] <= 1
    assert made["k-epsilon"]["private"] is False  # of some columns only
    assert any(said.startswith("For counts: with differential privacy") for said in found["recommended"])


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
