"""Whatever stands where a certificate should: a sentence, never another exception."""

import copy
import json
import shutil

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from release_folders import certificate_of, with_certificate, write_release

import shoal
from shoal.criteria import Distance
from shoal.errors import DataError
from shoal.promises.certificate import Certificate
from shoal.promises.checking import check_release

GRADES = ("mild", "medium", "severe")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A release whose certificate has something of everything: paths, levels, values, nested parameters."""
    made = shoal.Schema().with_column("age", role="quasi-identifier", domain=(0, 9), hierarchy=shoal.intervals(5))
    made = made.with_column("town", role="quasi-identifier")
    made = made.with_column("grade", role="sensitive", domain=shoal.Categorical(GRADES, ordered=True)).with_column("n")
    table = pa.table(
        {
            "age": [i % 10 for i in range(60)],
            "town": [("A", "B")[i % 2] for i in range(60)],
            "grade": [GRADES[(i // 2) % 3] for i in range(60)],
            "n": [i % 4 for i in range(60)],
        }
    )
    near = (shoal.Closeness(0.9, "grade", Distance.ORDERED), shoal.LKCPrivacy(1, 2, 0.9, "grade", ("mild",)))
    method = shoal.OptimalLattice(k=2, diversity=1.1, criteria=near, suppression_limit=1.0)
    where = tmp_path_factory.mktemp("release")
    write_release(method.anonymize(table, made), where, "csv", groups=True)
    assert check_release(where).holds
    return where


@pytest.fixture(scope="module")
def bare(folder, tmp_path_factory):
    """The same with nothing that would give an edited certificate away before it is understood."""
    where = shutil.copytree(folder, tmp_path_factory.mktemp("bare") / "release")
    (where / "README.md").unlink()
    (where / "groups.csv").unlink()
    with_certificate(where, lambda said: said.pop("files"))
    return where


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def put(said, path, value):
    """The JSON with another value at a place; the value DELETE takes it out."""
    if not path:
        return value
    said = copy.deepcopy(said)
    here = said
    for key in path[:-1]:
        here = here[key]
    if value is DELETE:
        del here[path[-1]]
    else:
        here[path[-1]] = value
    return said


DELETE = object()
ODD = [
    *(None, True, False, 0, -1, 1.5, 10**18, 1e308, 1e-308, "", "\x00", "x" * 99, "1e999999999", "é", [], {}, [[]]),
    *([None], [[None]], {"": None}, {"name": "k-anonymity", "k": 2}, "quasi-identifier", "insensitive", "perturbed"),
    *("identifier", "sensitive", "age", "grade", "proved", "verified", "replace one record", [["a", "*"]], DELETE),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def require_sentence(folder, text):
    """Check a folder whose certificate was replaced: a verdict or a `DataError`, and nothing else."""
    path = folder / "certificate.json"
    before = path.read_bytes()
    try:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        checked = check_release(folder)
    except DataError as error:
        assert str(error).endswith(".")  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        return None
    finally:
        path.write_bytes(before)
    return checked


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_in_any_place(bare, data):
    said = certificate_of(bare)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(said))))
        said = put(said, path, data.draw(st.sampled_from(ODD) | JSON))
        if said is DELETE:
            said = {}
    require_sentence(bare, json.dumps(said))


def test_every_odd_value_in_every_place_that_decides(bare):
    said = certificate_of(bare)
    for path in places(said):
        if path and path[0] in ("columns", "criteria", "method") and len(path) > 1:
            for value in (None, [], DELETE):
                require_sentence(bare, json.dumps(put(said, path, value)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"format": 1, "format": 1}',
        '{"format": 1, "records": 1e400}',
        '{"format": 1, "records": Infinity}',
        '{"format": 1, "records": NaN}',
        '{"format": 1, "records": ' + "9" * 5000 + "}",
        '{"format": 1, "reading": "\\ud800"}',
        '\ufeff{"format": 1}',
        "\ud800",
    ],
    ids=lambda text: text[:20],
)
def test_json_that_no_two_readers_take_alike_is_refused(folder, text):
    assert require_sentence(folder, text) is None


def test_a_key_that_stands_twice_is_refused_though_the_last_one_is_right(folder):
    text = (folder / "certificate.json").read_text(encoding="utf-8")
    twice = text.replace('"records":', '"records": 99, "records":')
    assert json.loads(twice) == json.loads(text)
    assert require_sentence(folder, twice) is None


def test_numbers_beyond_all_bounds_are_refused_at_once(folder):
    said = certificate_of(folder)
    said["criteria"][0]["k"] = 10**400
    assert require_sentence(folder, json.dumps(said)) is None
    said = certificate_of(folder)
    said["guarantees"][0] |= {"neighbors": "add/remove one record", "epsilon": "1e999999999", "delta": "0"}
    assert require_sentence(folder, json.dumps(said)) is None
    said = certificate_of(folder)
    said["method"] = {"name": "diffgen", "parameters": {"epsilon": "1e999999999", "target": "grade"}}
    assert require_sentence(folder, json.dumps(said)) is None


def test_a_certificate_is_read_back_as_it_was_written(folder):
    certificate = Certificate.load(folder / "certificate.json")
    assert certificate.to_json().encode() == (folder / "certificate.json").read_bytes()
    assert set(certificate.files) == {"data.csv", "groups.csv", "README.md"}


def test_a_column_that_stands_in_a_certificate_twice_is_a_contradiction(bare, tmp_path):
    where = shutil.copytree(bare, tmp_path / "release")
    with_certificate(where, lambda said: said["columns"].append(said["columns"][0]))
    with pytest.raises(DataError, match="a column stands in it twice"):
        check_release(where)


def test_groups_that_tell_other_values_are_refused(folder, tmp_path):
    where = shutil.copytree(folder, tmp_path / "release")
    with_certificate(where, lambda said: said.pop("files"))
    told = (where / "groups.csv").read_text(encoding="utf-8")
    assert told.count('"mild"') > 1
    (where / "groups.csv").write_text(told.replace('"mild"', '"medium"', 1), encoding="utf-8")
    with pytest.raises(DataError, match="do not belong together"):
        check_release(where)


@pytest.mark.parametrize("key", ["level", "levels", "pieces"])
def test_any_trace_of_generalization_belongs_to_a_quasi_identifier(bare, tmp_path, key):
    where = shutil.copytree(bare, tmp_path / "release")
    assert check_release(where).holds
    with_certificate(where, lambda said: next(c for c in said["columns"] if c["name"] == "n").update({key: 1}))
    with pytest.raises(DataError, match="contradicts itself: 'n' was generalized and is not a quasi-identifier"):
        check_release(where)
