"""From a table to a release that can be checked by anybody, and that nobody can tamper with unnoticed."""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.criteria import Distance
from shoal.errors import DataError
from shoal.pipeline import publish
from shoal.plan.plan import QUALITY_MODELS, Plan
from shoal.promises.checking import check_release

GRADES = ("mild", "medium", "severe")


def patients(missing=False, number=240):
    """Classes that hold all sensitive values, so that every criterion can be met and can be broken."""
    return pa.table(
        {
            "age": [20 + (i * 7) % 40 for i in range(number)],
            "town": [("Ulm", "Bonn", "Kiel")[(i // 3) % 3] for i in range(number)],
            "grade": [None if missing and i % 7 == 0 else GRADES[i % 3] for i in range(number)],
            "days": [float(i % 4) / 2 for i in range(number)],
        }
    )


def schema(*, observed=False, missing=False):
    made = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 99), hierarchy=shoal.intervals(10, 20))
    made = made.with_column("town", role="quasi-identifier")
    ill = shoal.tree({"any": {"light": ["mild", "medium"], "heavy": ["severe"]}})
    if observed:
        return made.with_column("grade", role="sensitive").with_column("days", role="sensitive")
    domain = shoal.Categorical(GRADES, ordered=True)
    made = made.with_column("grade", role="sensitive", domain=domain, hierarchy=ill, missing=missing)
    return made.with_column("days", role="sensitive", domain=(0, 5, 0.5))


CRITERIA = {
    "k": shoal.KAnonymity(5),
    "distinct": shoal.DistinctDiversity(3, "grade"),
    "entropy": shoal.EntropyDiversity(2.5, "grade"),
    "recursive": shoal.RecursiveDiversity(2.0, 2, "grade"),
    "frequency": shoal.FrequencyDiversity(2.2, "grade"),
    "equal": shoal.Closeness(0.3, "grade"),
    "ordered": shoal.Closeness(0.3, "grade", Distance.ORDERED),
    "hierarchical": shoal.Closeness(0.3, "grade", Distance.HIERARCHICAL),
    "ordered numbers": shoal.Closeness(0.1, "days", Distance.ORDERED),
    "disclosure": shoal.Disclosure(0.7, "grade"),
    "likeness": shoal.Likeness(0.9, "grade"),
}


def written(folder, form="csv", criteria=(), table=None, said=None, **request):
    """The folder of a release."""
    method = shoal.OptimalLattice(k=3, suppression_limit=1.0, criteria=tuple(criteria), **request)
    release = method.anonymize(patients() if table is None else table, schema() if said is None else said)
    folder.mkdir(exist_ok=True)
    release.write_data(folder / f"data.{form}")
    (folder / "certificate.json").write_text(release.certificate.to_json(), encoding="utf-8")
    return folder


def edited(folder, change):
    """Change the published rows, as lists of text or values in place, or the certificate, or both."""
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text(encoding="utf-8"))
    if (folder / "data.csv").exists():
        with (folder / "data.csv").open(newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        rows = change(rows, names, certificate)
        with (folder / "data.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *rows])
    else:
        table = pq.read_table(folder / "data.parquet")
        rows = change([list(row.values()) for row in table.to_pylist()], table.column_names, certificate)
        pq.write_table(
            pa.Table.from_pylist([dict(zip(table.column_names, row, strict=True)) for row in rows], table.schema),
            folder / "data.parquet",
        )
    path.write_text(json.dumps(certificate), encoding="utf-8")


def class_of(rows, names):
    """The rows of one class, the first."""
    age, town = names.index("age"), names.index("town")
    return [row for row in rows if (row[age], row[town]) == (rows[0][age], rows[0][town])]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("missing", [False, True], ids=["complete", "with missing values"])
@pytest.mark.parametrize("criterion", CRITERIA.values(), ids=CRITERIA)
def test_a_good_release_is_found_good_and_what_it_reached_is_found_again(tmp_path, form, missing, criterion):
    if missing and criterion == shoal.EntropyDiversity(2.5, "grade"):
        criterion = shoal.EntropyDiversity(2.0, "grade")
    if missing and isinstance(criterion, shoal.Disclosure | shoal.Likeness):
        criterion = type(criterion)(3.0, "grade")
    folder = written(tmp_path, form, [criterion], patients(missing), schema(missing=missing))
    checked = check_release(folder)
    certificate, verdicts = checked.certificate, checked.verdicts
    assert [verdict.holds for verdict in verdicts] == [True, True]
    assert verdicts[1].criterion == criterion
    assert [said["reached"] for said in certificate.criteria] == pytest.approx(
        [verdict.reached for verdict in verdicts]
    )
    assert certificate.records >= 10


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_distances_between_observed_values_are_found_again_though_only_published_values_are_named(tmp_path, form):
    table = pa.concat_tables([patients(), pa.table({"age": [99], "town": ["Rom"], "grade": ["rare"], "days": [9.5]})])
    tree = shoal.balanced(2)
    said = schema(observed=True).with_column("grade", role="sensitive", hierarchy=tree)
    near = shoal.Closeness(0.3, "grade", Distance.HIERARCHICAL)
    folder = written(tmp_path, form, [near], table, said)
    text = (folder / "certificate.json").read_text(encoding="utf-8")
    assert "rare" not in text
    assert "9.5" not in text
    assert '"medium"' in text
    assert '"group 1"' in text
    assert all(verdict.holds for verdict in check_release(folder).verdicts)


def test_a_missing_value_that_is_declared_as_a_blank_is_found_again(tmp_path):
    blank = patients(missing=True).set_column(
        2, "grade", pa.array(["" if i % 7 == 0 else GRADES[i % 3] for i in range(240)])
    )
    said = schema().with_column(
        "grade", domain=shoal.Categorical((*GRADES, ""), ordered=True), hierarchy=shoal.balanced(2)
    )
    folder = written(tmp_path, "csv", [CRITERIA["ordered"]], blank, said)
    assert all(verdict.holds for verdict in check_release(folder).verdicts)
    assert json.loads((folder / "certificate.json").read_text())["columns"][2]["missing"] == "(blank)"


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    "values", [["Ulm", None, "Bonn"], [1, None, 2], [None, True, False], [None, None, None]], ids=str
)
@pytest.mark.parametrize("repeats", [5, 2000])
def test_a_release_of_one_column_with_missing_values_can_be_checked(tmp_path, form, values, repeats):
    table = pa.table({"q": values * repeats})
    release = shoal.OptimalLattice(k=3).anonymize(table, shoal.Schema().with_column("q", role="quasi-identifier"))
    release.write_data(tmp_path / f"data.{form}")
    (tmp_path / "certificate.json").write_text(release.certificate.to_json(), encoding="utf-8")
    checked = check_release(tmp_path)
    assert checked.holds
    assert len(checked.verdicts) == 1
    assert checked.certificate.records == 3 * repeats


def test_an_order_is_named_only_where_a_distance_needs_it(tmp_path):
    plain = json.loads((written(tmp_path / "a", criteria=[CRITERIA["equal"]]) / "certificate.json").read_text())
    near = json.loads((written(tmp_path / "b", criteria=[CRITERIA["ordered"]]) / "certificate.json").read_text())
    assert [sorted(column) for column in plain["columns"]][2:] == [["name", "role"]] * 2
    assert near["columns"][2]["ordered"] is True
    assert [path[0] for path in near["columns"][2]["paths"]] == list(GRADES)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_numbers_on_a_wide_grid_are_compared_as_they_are_written(tmp_path, form):
    """A reader does not know the grid: values may span far more steps of 1 than any domain holds."""
    table = pa.table({"wage": [1_000_000.0 * (i % 4 + 1) for i in range(20)], "sick": ["y", "n"] * 10})
    said = shoal.Schema().with_column("wage", role="quasi-identifier", domain=(0, 90_000_000, 1_000_000))
    folder = written(tmp_path, form, (), table, said.with_column("sick", role="sensitive"))
    assert check_release(folder).verdicts[0].reached == 5


def test_values_that_look_like_the_same_number_are_different_when_a_release_is_checked(tmp_path):
    table = pa.table({"code": ["1"] * 4 + ["1.0"] * 4, "sick": ["y", "n"] * 4})
    said = shoal.Schema().with_column("code", role="quasi-identifier", domain=["1", "1.0"])
    folder = written(tmp_path, "csv", (), table, said.with_column("sick", role="sensitive"))
    edited(folder, lambda rows, _names, _c: [*rows[:4], *[["1", "y"]] * 3, rows[-1]])
    assert [verdict.holds for verdict in check_release(folder).verdicts] == [False]


# Tampering


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_row_deleted_breaks_the_release(tmp_path, form):
    folder = written(tmp_path, form)
    smallest = {}

    def delete(rows, names, certificate):
        groups = {}
        for row in rows:
            groups.setdefault((row[names.index("age")], row[names.index("town")]), []).append(row)
        small = min(groups.values(), key=len)
        smallest["size"] = len(small)
        gone = small[: len(small) - 2]
        certificate["records"] -= len(gone)
        return [row for row in rows if not any(row is lost for lost in gone)]

    edited(folder, delete)
    assert smallest["size"] >= 3
    verdicts = check_release(folder).verdicts
    assert [(verdict.holds, verdict.reached) for verdict in verdicts] == [(False, 2.0)]
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["records"] += 1
    (folder / "certificate.json").write_text(json.dumps(certificate))
    with pytest.raises(DataError, match=r"records where the certificate says .*; the two do not belong together"):
        check_release(folder)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    "criterion", [c for c in CRITERIA.values() if hasattr(c, "column")], ids=[n for n in CRITERIA if n != "k"]
)
def test_a_sensitive_value_changed_breaks_the_release(tmp_path, form, criterion):
    folder = written(tmp_path, form, [criterion])

    def same(rows, names, _):
        for row in class_of(rows, names):
            row[names.index("grade")] = "mild"
            row[names.index("days")] = type(row[names.index("days")])(0)
        return rows

    edited(folder, same)
    assert [verdict.holds for verdict in check_release(folder).verdicts] == [True, False]


HARDER = {
    "k": ("k", 10_000),
    "distinct": ("diversity", 4),
    "entropy": ("diversity", 3.5),
    "recursive": ("c", 0.5),
    "frequency": ("diversity", 3.5),
    "equal": ("closeness", 0.0),
    "ordered": ("closeness", 0.0),
    "hierarchical": ("closeness", 0.0),
    "ordered numbers": ("closeness", 0.0),
    "disclosure": ("delta", 1e-6),
    "likeness": ("beta", 1e-6),
}


@pytest.mark.parametrize("name", CRITERIA)
def test_a_number_raised_in_the_certificate_is_found_out(tmp_path, name):
    table = patients(number=241)  # nothing is quite even
    folder = written(tmp_path, "csv", [CRITERIA[name]], table)
    key, value = HARDER[name]

    def raise_it(rows, _names, certificate):
        certificate["criteria"][1][key] = value
        return rows

    edited(folder, raise_it)
    with pytest.raises(DataError, match="contradicts itself: what it says is verified is not what it gives to verify"):
        check_release(folder)

    def say_so(rows, _names, certificate):
        said = {k: v for k, v in certificate["criteria"][1].items() if k != "reached"}
        certificate["guarantees"][1]["statement"] = shoal.criteria.registry.from_dict(said).statement
        return rows

    edited(folder, say_so)
    with pytest.raises(DataError, match="contradicts itself: what it gives to verify is not what its parameters pro"):
        check_release(folder)

    def say_so_everywhere(rows, _names, certificate):
        said = {k: v for k, v in certificate["criteria"][1].items() if k != "reached"}
        certificate["method"]["parameters"]["criteria"] = [said]
        return rows

    edited(folder, say_so_everywhere)
    assert [verdict.holds for verdict in check_release(folder).verdicts] == [True, False]


def test_a_number_said_to_be_reached_is_found_out(tmp_path):
    folder = written(tmp_path)

    def boast(rows, _names, certificate):
        certificate["criteria"][0]["reached"] += 1
        return rows

    edited(folder, boast)
    with pytest.raises(DataError, match=r"data\.csv reaches .* where the certificate says .*do not belong together"):
        check_release(folder)


def test_a_promise_that_is_said_and_not_given_to_verify_is_found_out(tmp_path):
    folder = written(tmp_path)

    def promise(rows, _names, certificate):
        certificate["guarantees"].append({**certificate["guarantees"][0], "statement": "nobody can ever be found"})
        return rows

    edited(folder, promise)
    with pytest.raises(DataError, match="contradicts itself"):
        check_release(folder)


def test_a_certificate_that_promises_nothing_is_not_a_good_one(tmp_path):
    folder = written(tmp_path)
    edited(folder, lambda rows, _names, certificate: certificate.update(guarantees=[]) or rows)
    with pytest.raises(DataError, match="contradicts itself"):
        check_release(folder)
    edited(folder, lambda rows, _names, certificate: certificate.update(criteria=[], seeded=True) or rows)
    checked = check_release(folder)
    assert (checked.is_test_run, checked.holds) == (True, False)
    assert "it protects nobody" in checked.notes[0]


def test_a_sensitive_column_that_is_no_longer_one_is_found_out(tmp_path):
    folder = written(tmp_path, "csv", [CRITERIA["distinct"]])

    def hide(rows, _names, certificate):
        certificate["columns"][2]["role"] = "insensitive"
        return rows

    edited(folder, hide)
    with pytest.raises(DataError, match="it does not say of the same columns everywhere that they are insensitive"):
        check_release(folder)


# Folders that are no releases


def test_what_is_no_release_is_refused(tmp_path):
    with pytest.raises(
        DataError, match="nowhere is not a folder; expected the folder of a release made by `shoal run`"
    ):
        check_release(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"certificate\.json does not exist; expected the folder of a release"):
        check_release(tmp_path)
    folder = written(tmp_path)
    certificate = (folder / "certificate.json").read_text()
    for damaged in (
        "",
        "[]",
        "{}",
        certificate[:-9],
        certificate.replace('"role"', '"rule"'),
        certificate.replace('"k"', '"j"'),
    ):
        (folder / "certificate.json").write_text(damaged)
        with pytest.raises(DataError, match=r"certificate\.json is not a certificate of Shoal, or is damaged"):
            check_release(folder)
    (folder / "certificate.json").write_text(certificate.replace('"format": 1', '"format": 99'))
    with pytest.raises(DataError, match=r"has format 99; this version of Shoal reads 1\. Update Shoal"):
        check_release(folder)
    (folder / "certificate.json").write_text(certificate)
    (folder / "data.parquet").write_bytes(b"")
    with pytest.raises(DataError, match=r"has both data\.csv and data\.parquet; expected one table"):
        check_release(folder)
    (folder / "data.parquet").unlink()
    (folder / "data.csv").unlink()
    with pytest.raises(DataError, match=r"has no data\.csv or data\.parquet; expected one table"):
        check_release(folder)


def test_columns_of_the_data_and_of_the_certificate_must_be_the_same(tmp_path):
    folder = written(tmp_path)
    edited(folder, lambda rows, names, _c: names.append("more") or [[*row, "x"] for row in rows])
    with pytest.raises(DataError, match=r"do not belong together: column 'more' is in one of them only"):
        check_release(folder)


# What the certificate says, and what it does not


def test_the_certificate_says_nothing_of_what_is_not_published():
    rare = pa.table(
        {"age": [98] * 37, "town": [f"SECRET{i}" for i in range(37)], "grade": ["severe"] * 37, "days": [0.5] * 37}
    )
    table = pa.concat_tables([patients(number=1234), rare])
    release = shoal.OptimalLattice(k=40, suppression_limit=0.05, diversity=2.0).anonymize(table, schema())
    facts = release.facts
    assert (facts.records, facts.suppressed) == (1271, 37)
    said = release.certificate.to_json() + str(release.certificate)
    for private in ("SECRET", "1271", "1,271", "37", "98"):
        assert private not in said
    assert "1,234 records" in said
    assert release.certificate.records == release.data.num_rows == 1234


def assumptions(release):
    return {text for guarantee in release.certificate.guarantees for text in guarantee.assumptions}


def test_the_certificate_says_what_it_takes_for_granted():
    said = schema().with_column("note")
    table = patients().append_column("note", pa.array(["x"] * 240))
    release = shoal.OptimalLattice(k=3, criteria=(CRITERIA["distinct"],)).anonymize(table, said)
    assert assumptions(release) == {
        "the quasi-identifiers are all that others may know about a person",
        "one record for each person",
        "it is a property of this table alone, not differential privacy: further releases about the same people add up",
        "domains taken from the data: town",
        "nothing is promised about the sensitive values of days: a class may hold only one",
        "declared insensitive and published as they are: note",
    }
    protected = shoal.OptimalLattice(k=3, diversity=1.0).anonymize(
        patients(), schema().with_column("town", domain=["Ulm", "Bonn", "Kiel"])
    )
    assert len(assumptions(protected)) == 3


def test_the_certificate_gives_method_parameters_columns_and_levels():
    method = shoal.OptimalLattice(
        k=3, diversity=1.5, quality=shoal.Discernibility(), time_limit=None, criteria=(CRITERIA["ordered"],)
    )
    release = method.anonymize(patients(), schema())
    said = release.certificate.to_dict()
    assert said["method"]["name"] == "optimal-lattice"
    assert said["method"]["parameters"] == {
        "k": 3,
        "diversity": 1.5,
        "criteria": [
            {
                "name": "closeness",
                "closeness": 0.3,
                "column": "grade",
                "distance": "ordered",
                "reference": "published",
                "unit": "record",
            }
        ],
        "suppression_limit": 0.05,
        "quality": "discernibility",
    }
    assert [(column["name"], column["role"]) for column in said["columns"]] == [
        ("age", "quasi-identifier"),
        ("town", "quasi-identifier"),
        ("grade", "sensitive"),
        ("days", "sensitive"),
    ]
    assert {column["name"]: column["level"] for column in said["columns"][:2]} == dict(release.recoding.levels)
    assert said["columns"][0]["levels"] == 3
    assert said["criteria"][0] == {
        "name": "k-anonymity",
        "k": 3,
        "unit": "record",
        "reached": said["criteria"][0]["reached"],
    }


def test_the_owner_learns_what_it_cost():
    release = shoal.OptimalLattice(k=40, suppression_limit=0.2).anonymize(patients(), schema())
    facts = release.facts
    sizes = np.repeat(list(facts.class_sizes), list(facts.class_sizes.values()))
    assert sizes.sum() == release.certificate.records
    assert sizes.min() == release.certificate.criteria[0]["reached"]
    assert facts.optimized == "loss"
    assert set(facts.losses) == set(QUALITY_MODELS) - {"classification"}
    assert all(0 <= loss <= 1 for loss in facts.losses.values())
    assert [(c["name"], c["before"], c["recoding"]) for c in facts.columns] == [
        ("age", 40, "hidden: no value is shown"),
        ("town", 3, "published as it is"),
        ("grade", 3, "published as it is"),
        ("days", 4, "published as it is"),
    ]


def test_a_plan_and_a_frame_give_the_same_release(tmp_path):
    pq.write_table(patients(), tmp_path / "people.parquet")
    (tmp_path / "release.toml").write_text(
        """
        [data]
        path = "people.parquet"
        [columns.age]
        role = "quasi-identifier"
        domain = { from = 0, to = 99 }
        hierarchy = { intervals = [10, 20] }
        [columns.town]
        role = "quasi-identifier"
        [columns.grade]
        role = "sensitive"
        domain = { values = ["mild", "medium", "severe"], ordered = true }
        hierarchy = { tree = { any = { light = ["mild", "medium"], heavy = ["severe"] } } }
        [columns.days]
        role = "sensitive"
        domain = { from = 0, to = 5, step = 0.5 }
        [method]
        name = "ola"
        k = 4
        """
    )
    planned = publish(Plan.load(tmp_path / "release.toml"))
    framed = shoal.OLA(k=4).anonymize(patients(), schema())
    assert planned.data.equals(framed.data)
    assert planned.certificate == framed.certificate


@pytest.mark.parametrize("method", [shoal.RankSwapping, shoal.Noise])
def test_k_anonymity_beside_changed_numbers_is_of_this_table_alone_too(method):
    release = method(perturbed=("days",), anonymizer=shoal.OptimalLattice(k=3)).anonymize(patients(), schema())
    assert any("property of this table alone" in text for text in assumptions(release))
    dp = shoal.PRAM(perturbed=("town",), epsilon=1, anonymizer=shoal.OptimalLattice(k=3))
    private = dp.anonymize(patients(), schema().with_person("row").with_column("town", domain=["Ulm", "Bonn", "Kiel"]))
    assert not any("property of this table alone" in text for text in assumptions(private))
