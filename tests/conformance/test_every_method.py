"""What every method must do: keep its promise, publish the truth, repeat itself, and leave alone what is not its."""

import json
from collections import Counter
from dataclasses import FrozenInstanceError, fields, replace

import cases
import naive
import pyarrow as pa
import pytest
from jsonschema import Draft7Validator
from people import labelled

import shoal
from shoal.data.domain import Categorical
from shoal.dp.coins.coins import SeededCoins
from shoal.errors import DataError, InfeasibleError, ParameterError, SchemaError
from shoal.plan.plan import METHODS, Plan
from shoal.promises.describing.certificate_schema import certificate_schema
from shoal.promises.guarantee import Basis

ALL = [
    pytest.param(case, id=f"{name}-{number}")
    for name, some in cases.CASES.items()
    for number, case in enumerate(some, start=1)
]


TRUE_TO_LEVELS = [param for param in ALL if param.values[0].recodes == "levels"]
RECODING_VALUES = [param for param in ALL if param.values[0].recodes in ("levels", "values")]
RECODING_RECORDS = [param for param in ALL if param.values[0].recodes in ("records", "invents")]
VERIFIABLE = [param for param in ALL if param.values[0].is_verifiable]


@pytest.fixture(scope="module")
def original():
    return cases.table()


@pytest.fixture(scope="module")
def releases(original):
    """One release of each case, made once."""
    made = {}

    def release(case):
        if id(case) not in made:
            made[id(case)] = case.anonymize(original)
        return made[id(case)]

    return release


def written(method):
    """Numbers, lists of columns and methods within a method, as a release file writes them."""
    for field in fields(method):
        value = getattr(method, field.name)
        if isinstance(value, int | float):
            yield field.name, str(value).lower()
        elif isinstance(value, str):
            yield field.name, f'"{value}"'
        elif isinstance(value, tuple) and value and all(isinstance(part, str) for part in value):
            yield field.name, str(list(value))
        elif type(value) in METHODS.values():
            inside = ", ".join(f"{key} = {said}" for key, said in written(value))
            yield field.name, f'{{ name = "{value.name}", {inside} }}'


def rows(table):
    """Rows of text, None for a missing value."""
    return labelled(table)


def quasi_identifiers(release):
    return [i for i, column in enumerate(release.certificate.columns) if column["role"] == "quasi-identifier"]


def test_every_method_of_the_release_file_has_cases_and_every_case_is_of_its_method():
    assert set(cases.CASES) == set(METHODS)
    for name, some in cases.CASES.items():
        assert some
        for case in some:
            assert type(case.method) is type(case.impossible) is METHODS[name]
            assert case.method.name == name
            assert type(case.method).__name__ in shoal.__all__


@pytest.mark.parametrize("case", VERIFIABLE)
def test_what_is_promised_holds_on_the_published_records_counted_by_hand(case, releases):
    release = releases(case)
    published = rows(release.data)
    quasi = quasi_identifiers(release)
    classes = naive.grouped(tuple(row[i] for i in quasi) for row in published)
    names = release.data.column_names
    promises = [shoal.criteria.registry.from_dict({k: v for k, v in said.items() if k != "reached"})
                for said in release.certificate.criteria]  # fmt: skip
    assert promises
    for criterion in promises:
        column = getattr(criterion, "column", None)
        values = [row[names.index(column)] if column else None for row in published]
        if isinstance(criterion, shoal.LKCPrivacy):
            keys = [tuple(row[i] for i in quasi) for row in published]
            parts = (criterion.length, criterion.k, criterion.confidence, criterion.values or None)
            assert naive.has_lkc(keys, values, *parts)
            continue
        for members in classes.values():
            here = [values[i] for i in members]
            assert naive.holds(criterion, here, values, cases.PATHS.get(column))
    if not isinstance(promises[0], shoal.LKCPrivacy):
        assert release.certificate.criteria[0]["reached"] == min(len(members) for members in classes.values())


@pytest.mark.parametrize("case", TRUE_TO_LEVELS)
def test_every_published_value_is_an_ancestor_of_an_original_and_no_record_is_invented(case, releases, original):
    """The published records are among the originals, each cell at its level: none is there more often."""
    release = releases(case)
    levels = [column.get("level", 0) for column in release.certificate.columns]
    names = release.data.column_names
    generalized = Counter()
    for row in rows(original):
        path = [cases.PATHS[name]["missing" if cell is None else cell] for name, cell in zip(names, row, strict=True)]
        generalized[tuple(p[level] for p, level in zip(path, levels, strict=True))] += 1
    published = Counter(tuple("missing" if cell is None else cell for cell in row) for row in rows(release.data))
    assert published <= generalized
    assert sum(published.values()) == release.certificate.records == release.data.num_rows


@pytest.mark.parametrize("case", RECODING_VALUES)
def test_the_recoding_of_a_release_recodes_its_originals_alike(case, releases, original):
    release = releases(case)
    quasi = [release.data.column_names[i] for i in quasi_identifiers(release)]
    applied = Counter(rows(release.recoding.apply(original).select(quasi)))
    published = Counter(rows(release.data.select(quasi)))
    if case.recodes == "levels":
        assert published <= applied
    else:  # counts may be noisy, and pieces that no original is in may be published
        assert published.keys() & applied.keys()


@pytest.mark.parametrize("case", RECODING_RECORDS)
def test_a_recoding_of_records_is_not_applied_to_others(case, releases, original):
    with pytest.raises(ParameterError, match="cannot be applied to other records"):
        releases(case).recoding.apply(original)


@pytest.mark.parametrize("case", ALL)
def test_the_same_request_gives_the_same_release_in_whatever_order_the_records_come(case, releases, original):
    release, again = releases(case), case.anonymize(original.take(list(reversed(range(original.num_rows)))))
    assert again.data.equals(release.data)
    assert again.certificate == release.certificate


@pytest.mark.parametrize("case", ALL)
def test_the_input_is_not_touched_and_nothing_is_printed(case, capfd):
    frame = cases.table().to_pandas()
    before = frame.copy(deep=True)
    said, same = cases.schema(), cases.schema()
    release = case.anonymize(frame, said)
    release.data  # noqa: B018  made when it is asked for
    assert frame.equals(before)
    assert said == same
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("case", ALL)
def test_what_cannot_be_met_is_refused_in_a_sentence_and_not_answered_with_an_empty_table(case, original):
    """Unless the method is private and finds out by looking at the records: then nothing is an answer like others."""
    impossible = cases.Case(case.impossible, case.method, case.is_private)
    try:
        release = impossible.anonymize(original)
    except InfeasibleError as error:
        said = str(error)
    else:
        assert release.is_paid
        assert release.certificate.records == release.data.num_rows == 0
        assert release.data.schema.names == original.schema.names
        said = release.needs
    assert said.endswith(".")


@pytest.mark.parametrize("case", ALL)
def test_parameters_are_given_by_name_and_cannot_be_changed(case):
    first = fields(case.method)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(case.method, first, getattr(case.method, first))
    with pytest.raises(TypeError):
        type(case.method)(getattr(case.method, first))
    assert type(case.method)(**{f.name: getattr(case.method, f.name) for f in fields(case.method)}) == case.method


@pytest.mark.parametrize("case", ALL)
def test_the_certificate_names_the_method_its_parameters_and_the_basis_of_every_promise(case, releases):
    certificate = releases(case).certificate
    assert certificate.method == case.method.name
    said = certificate.to_dict()["method"]["parameters"]
    for field in fields(case.method):
        value = getattr(case.method, field.name)
        if isinstance(value, int | float):
            assert said[field.name] == value
    Draft7Validator(certificate_schema()).validate(json.loads(certificate.to_json()))
    bases = [guarantee.basis for guarantee in certificate.guarantees]
    assert (Basis.VERIFIED in bases) == case.is_verifiable
    assert all(guarantee.statement for guarantee in certificate.guarantees)
    assert bases


@pytest.mark.parametrize("case", ALL)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_test_run_promises_nothing_and_says_so_wherever_a_promise_would_stand(case, form, original, tmp_path):
    """Whoever knows the seed can toss the coins again; a method that tosses none promises what it always does."""
    from shoal.pages.report.sections import promises
    from shoal.promises.checking import check_release
    from shoal.promises.folder import recipient_note

    release = case.method.anonymize(original, cases.schema(), coins=SeededCoins(7))
    certificate = release.certificate
    assert certificate.seeded == case.is_private
    assert bool(certificate.guarantees) == (not case.is_private)
    places = [str(certificate), recipient_note(certificate, form), promises(release).body]
    assert ["TEST RUN: seeded, no privacy" in place for place in places] == [case.is_private] * 3
    if case.is_private:
        assert certificate.guarantees == certificate.criteria == ()
        assert not any(word in place for place in places[:2] for word in ("(proved)", "(verified)", "(claimed)"))
    release.write_data(tmp_path / f"data.{form}")
    (tmp_path / "certificate.json").write_text(certificate.to_json(), encoding="utf-8")
    checked = check_release(tmp_path)
    assert checked.certificate == certificate
    assert len(checked.verdicts) == len(certificate.criteria)
    assert checked.holds == (not case.is_private)  # who publishes a test run must not be told that all is well
    edited = certificate.to_dict() | {"seeded": not certificate.seeded}
    (tmp_path / "certificate.json").write_text(json.dumps(edited), encoding="utf-8")
    with pytest.raises(DataError, match="contradicts itself"):
        check_release(tmp_path)


@pytest.mark.parametrize("case", ALL)
def test_the_certificate_tells_how_large_the_original_was_only_if_all_of_it_is_published(case, original):
    odd = pa.concat_tables([original, pa.table({"age": [59], "town": ["Köln"], "grade": ["severe"]})])
    release = case.anonymize(odd)
    assert release.facts.records == odd.num_rows
    is_told = str(odd.num_rows) in release.certificate.to_json()
    assert is_told == (release.certificate.records == odd.num_rows)


@pytest.mark.parametrize("case", [param for param in ALL if "no record is left out" in param.values[0].method.reading])
def test_a_method_that_says_that_it_leaves_out_no_record_publishes_all(case, releases, original):
    assert len(releases(case).data) == original.num_rows


@pytest.mark.parametrize("case", ALL)
def test_a_table_with_nothing_to_protect_is_refused_before_a_record_is_read(case):
    said = shoal.Schema().with_column("name", role="identifier")
    with pytest.raises(SchemaError):
        case.method.counted(said)
    with pytest.raises(SchemaError):
        case.anonymize(pa.table({"name": ["a"]}), said)


@pytest.mark.parametrize("case", ALL)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_can_be_checked_from_its_files(case, form, releases, tmp_path):
    from shoal.promises.checking import check_release

    release = releases(case)
    release.write_data(tmp_path / f"data.{form}")
    (tmp_path / "certificate.json").write_text(release.certificate.to_json(), encoding="utf-8")
    checked = check_release(tmp_path)
    assert checked.certificate == release.certificate
    assert all(verdict.holds for verdict in checked.verdicts)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_can_be_asked_for_in_a_release_file(name, tmp_path):
    case = cases.CASES[name][0]
    lines = "\n".join(f"{key} = {value}" for key, value in written(case.method))
    path = tmp_path / "release.toml"
    path.write_text(
        '[data]\npath = "x.csv"\n[columns.age]\nrole = "quasi-identifier"\ndomain = { from = 0, to = 9 }\n'
        '[columns.illness]\nrole = "sensitive"\ndomain = ["flu", "gout"]\n'
        f'[method]\nname = "{name}"\n{lines}\n'
    )
    assert Plan.load(path).method == case.method


def test_the_paths_of_the_cases_are_those_of_the_schema():
    """What the tests take for the truth is what was declared."""
    table = cases.table()
    assert set(rows(table.select(["age"]))) <= {(leaf,) for leaf in cases.PATHS["age"]}
    assert Categorical(cases.GRADES, ordered=True).values == tuple(cases.PATHS["grade"])


@pytest.mark.parametrize("case", ALL)
def test_what_is_said_to_be_k_anonymous_is_verified_to_be(case, releases):
    """Other methods build on it: k-epsilon takes such a method, and no other, for the columns without noise."""
    verified = [said["name"] for said in releases(case).certificate.criteria]
    assert not case.method.promises_k_anonymity or "k-anonymity" in verified


# A criterion that compares with the input


COMPARING_WITH_INPUT = (
    shoal.Closeness(0.2, "grade", reference=shoal.Reference.INPUT),
    shoal.Likeness(0.5, "grade", shoal.Reference.INPUT),
    shoal.Disclosure(0.6, "grade", shoal.Reference.INPUT),
)


def taking_criteria():
    """One instance of each method that takes criteria, and k-epsilon with one; sequential refuses all criteria."""
    for some in cases.CASES.values():
        method = some[0].method
        if "criteria" in {field.name for field in fields(method)} and not isinstance(method, shoal.Sequential):
            limits = {"suppression_limit": 0.0} if isinstance(method, shoal.OLA) else {}
            yield pytest.param(lambda c, m=method, p=limits: replace(m, criteria=(c,), **p), id=method.name)
    yield pytest.param(
        lambda c: shoal.KEpsilon(
            epsilon=1.0,
            perturbed=("age",),
            anonymizer=shoal.OptimalLattice(k=3, criteria=(c,)),
            mode=shoal.Mode.AS_PUBLISHED,
            confidence=0.5,
        ),
        id="k-epsilon",
    )


@pytest.mark.parametrize("criterion", COMPARING_WITH_INPUT, ids=lambda criterion: type(criterion).__name__)
@pytest.mark.parametrize("make", list(taking_criteria()))
def test_what_compares_with_the_input_holds_and_is_claimed_not_said_to_be_verified(make, criterion, original):
    release = make(criterion).anonymize(original, cases.schema())
    published, quasi = rows(release.data), quasi_identifiers(release)
    names, whole = release.data.column_names, original["grade"].to_pylist()
    for members in naive.grouped(tuple(row[i] for i in quasi) for row in published).values():
        here = [published[i][names.index("grade")] for i in members]
        assert naive.holds(criterion, here, whole, cases.PATHS["grade"])
    said = [guarantee for guarantee in release.certificate.guarantees if guarantee.statement == criterion.statement]
    assert [guarantee.basis for guarantee in said] == [Basis.CLAIMED]
    assert "the table that this release was made from" in criterion.statement
    assert any("cannot be checked from the published files" in text for text in said[0].assumptions)
    assert all(asked.get("reference", "published") == "published" for asked in release.certificate.criteria)
