"""What `measure` says of a table, against the definitions written out one class at a time."""

import json
import math
from collections import Counter, defaultdict

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.survey import measuring

TREE = shoal.tree({"*": {"left": ["a", "b"], "right": ["c", "d"]}})
RECORDS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from("xy"), st.sampled_from("abcd")), min_size=1, max_size=25
)


def frame(records):
    return pa.table({name: [record[i] for record in records] for i, name in enumerate(("age", "town", "illness"))})


def schema(**illness):
    made = shoal.Schema().with_column("age", role="quasi-identifier").with_column("town", role="quasi-identifier")
    return made.with_column("illness", role="sensitive", **illness)


def naive(records):
    """All measures, class by class, as the papers define them."""
    whole = Counter(value for *_, value in records)
    values = sorted(whole)
    q = {v: whole[v] / len(records) for v in values}
    classes = defaultdict(list)
    for *key, value in records:
        classes[tuple(key)].append(value)
    per = []
    for members in classes.values():
        n, count = len(members), Counter(members)
        p = {v: count[v] / n for v in values}
        falling = sorted(count.values(), reverse=True)
        running, ranks = 0.0, 0.0
        for v in values[:-1]:
            running += p[v] - q[v]
            ranks += abs(running)
        branch = {v: p[v] - q[v] for v in values}
        left = sum(branch.get(v, 0.0) for v in "ab")
        # distance 1/2 within a branch, 1 between: unbalanced leaves and branches pay a quarter for each of two halves
        tree = sum(abs(x) for x in branch.values()) / 4 + 2 * abs(left) / 4
        gains = {v: p[v] / q[v] - 1 for v in values}
        per.append(
            {
                "size": n,
                "distinct": len(count),
                "entropy": math.exp(-sum(x * math.log(x) for x in p.values() if x)),
                "frequency": n / falling[0],
                "recursive": {r: falling[0] / sum(falling[r - 1 :]) for r in range(2, len(count) + 1)},
                "closeness": sum(abs(p[v] - q[v]) for v in values) / 2,
                "ranks": ranks / max(len(values) - 1, 1),
                "tree": tree,
                "likeness": max(0.0, *gains.values()),
                "enhanced": math.inf
                if any(g > -math.log(q[v]) + 1e-12 for v, g in gains.items())
                else max(gains.values()),
                "disclosure": max((math.inf if not p[v] else abs(math.log(p[v] / q[v]))) for v in values),
                "present": max(abs(math.log(p[v] / q[v])) for v in values if p[v]),
            }
        )
    return per


def compare(found, per):
    one = found.sensitive[0]
    assert found.k == min(c["size"] for c in per)
    assert found.sizes == dict(sorted(Counter(c["size"] for c in per).items()))
    assert found.unique == sum(c["size"] == 1 for c in per)
    assert (found.classes, found.records) == (len(per), sum(c["size"] for c in per))
    distinct = min(c["distinct"] for c in per)
    assert one.distinct == distinct
    assert one.entropy == pytest.approx(min(c["entropy"] for c in per))
    assert one.frequency == pytest.approx(min(c["frequency"] for c in per))
    assert one.recursive == pytest.approx({r: max(c["recursive"][r] for c in per) for r in range(2, distinct + 1)})
    assert one.closeness == pytest.approx(max(c["closeness"] for c in per))
    assert one.likeness == pytest.approx(max(c["likeness"] for c in per))
    assert one.likeness_enhanced == pytest.approx(max(c["enhanced"] for c in per), abs=1e-9)
    assert one.disclosure == pytest.approx(max(c["disclosure"] for c in per), abs=1e-9)
    assert one.disclosure_present == pytest.approx(max(c["present"] for c in per), abs=1e-9)


@given(RECORDS)
@settings(max_examples=40)
def test_every_measure_is_the_one_of_the_worst_class(records):
    found = shoal.measure(frame(records), schema(hierarchy=TREE))
    per = naive(records)
    compare(found, per)
    assert found.sensitive[0].closeness_hierarchical == pytest.approx(max(c["tree"] for c in per))


@given(RECORDS)
@settings(max_examples=40)
def test_values_in_order_are_compared_by_rank_among_those_that_occur(records):
    numbers = [(age, town, {"a": 1, "b": 2, "c": 40, "d": 500}[value]) for age, town, value in records]
    found = shoal.measure(frame(numbers), schema())
    compare(found, naive(numbers))
    assert found.sensitive[0].closeness_ordered == pytest.approx(max(c["ranks"] for c in naive(numbers)))


@given(RECORDS)
@settings(max_examples=40)
def test_many_classes_are_looked_at_some_at_a_time(records):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "_CELLS", 8)
        compare(shoal.measure(frame(records), schema(hierarchy=TREE)), naive(records))


def test_it_agrees_with_what_a_release_promises():
    records = [(age, town, "abcd"[(3 * age + i) % 4]) for age in range(3) for town in "xy" for i in range(7)]
    release = shoal.OptimalLattice(k=3, diversity=2, suppression_limit=1.0).anonymize(frame(records), schema())
    found = shoal.measure(release.data, schema())
    reached = {criterion["name"]: criterion["reached"] for criterion in release.certificate.to_dict()["criteria"]}
    assert (found.k, found.sensitive[0].frequency) == (reached["k-anonymity"], reached["frequency-diversity"])


def test_persons_are_counted_where_they_are_told_apart():
    table = pa.table({"who": ["p", "p", "q"], "age": [1, 1, 1], "illness": ["a", "b", "a"]})
    told = shoal.Schema(person="who").with_column("who", role="identifier").with_column("age", role="quasi-identifier")
    found = shoal.measure(table, told.with_column("illness", role="sensitive"))
    assert (found.k, found.unit.value, found.sizes) == (2, "person", {3: 1})


def test_missing_values_are_told_and_what_is_without_them():
    records = [(1, "x", "a"), (1, "x", None), (2, "x", "a"), (2, "x", "b"), (2, "x", None)]
    found = shoal.measure(frame(records), schema())
    one = found.sensitive[0]
    assert (one.values, one.missing, one.distinct, one.distinct_known) == (3, 2, 2, 1)
    assert "illness (2 values, 2 missing)" in str(found)
    assert "if it counts as none, distinct ℓ-diversity is 1" in str(found)
    nothing = shoal.measure(frame([*records, (3, "x", None)]), schema()).sensitive[0]
    assert (nothing.distinct, nothing.distinct_known) == (1, 0)


def test_one_is_one():
    text = str(shoal.measure(frame([(1, "x", "a")]), schema()))
    assert text.startswith("1 record in 1 class by age, town\n")
    assert "illness (1 value)\n" in text


def test_without_a_quasi_identifier_there_is_nothing_to_measure():
    with pytest.raises(shoal.SchemaError, match="quasi-identifier"):
        shoal.measure(frame([(1, "x", "a")]), shoal.Schema().with_column("illness", role="sensitive"))


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,town,illness\n" + "".join(f"{20 + i % 3},{'xy'[i % 2]},{'abc'[i % 3]}\n" for i in range(30)))
    return path


def said(*arguments):
    return CliRunner().invoke(app, ["measure", *map(str, arguments)])


def test_the_command_takes_roles_from_options_lists_release_files_or_guesses(people, tmp_path):
    named = said(people, "-q", "age, town", "-s", "illness", "--json")
    assert named.exit_code == 0, named.output
    found = json.loads(named.stdout)
    assert (found["k"], found["classes"], found["sensitive"]["illness"]["disclosure"]) == (5, 6, None)
    plan = tmp_path / "release.toml"
    roles = "".join(f'[columns.{n}]\nrole = "quasi-identifier"\n' for n in ("age", "town"))
    rest = '[columns.illness]\nrole = "sensitive"\n[method]\nname = "mondrian"\nk = 2\n'
    plan.write_text(f'[data]\npath = "people.csv"\n{roles}{rest}')
    assert said(plan).stdout == said(people, "--release-file", plan).stdout
    assert "k = 5; 0 records are unique" in said(plan).stdout
    listed = tmp_path / "roles.csv"
    listed.write_text("column,role\nage,quasi-identifier\ntown,quasi-identifier\nillness,sensitive\n")
    assert said(people, "--roles", listed).stdout == said(plan).stdout
    guessed = said(people)
    assert guessed.exit_code == 0
    assert "guessed" in guessed.stderr


def test_columns_without_a_role_are_left_out(people):
    named = said(people, "-q", "age", "-s", "illness")
    assert named.exit_code == 0, named.output
    assert named.stderr == "note: left out, for neither -q nor -s names them: 'town'.\n\n"
    assert "30 records in 3 classes by age" in named.stdout


def test_a_text_may_stand_for_a_missing_value(tmp_path):
    path = tmp_path / "ill.csv"
    path.write_text("age,illness\n1,NA\n1,\n1,a\n")
    assert json.loads(said(path, "-q", "age", "-s", "illness", "--json").stdout)["sensitive"]["illness"]["missing"] == 1
    found = json.loads(said(path, "-q", "age", "-s", "illness", "--missing", "NA", "--json").stdout)
    assert (found["sensitive"]["illness"]["missing"], found["sensitive"]["illness"]["distinct"]) == (2, 2)


def test_a_release_is_measured_by_its_release_file_or_by_its_certificate(tmp_path):
    rows = "".join(f"{i // 2},{20 + i % 3},{'xy'[i % 2]},{'abc'[i % 3]}\n" for i in range(60))
    (tmp_path / "visits.csv").write_text(f"who,age,town,illness\n{rows}")
    plan = tmp_path / "release.toml"
    roles = "".join(f'[columns.{n}]\nrole = "quasi-identifier"\n' for n in ("age", "town"))
    rest = '[columns.illness]\nrole = "sensitive"\n[method]\nname = "mondrian"\nk = 2\n[output]\npath = "out/"\n'
    plan.write_text(f'[data]\npath = "visits.csv"\nperson = "who"\n{roles}{rest}')
    assert CliRunner().invoke(app, ["run", str(plan)]).exit_code == 0
    data = tmp_path / "out" / "data.csv"
    by_file = said(data, "--release-file", plan)
    assert by_file.exit_code == 0, by_file.output
    assert "passed over: 'who'" in by_file.stderr
    assert "nothing tells persons apart" in by_file.stderr
    folder = said(tmp_path / "out")
    assert folder.exit_code == 0, folder.output
    assert folder.stdout == by_file.stdout == said(tmp_path / "out", "-q", "age,town", "-s", "illness").stdout
    data.write_text(data.read_text().replace("illness", "sickness"))
    refused = said(data, "--release-file", plan)
    assert (refused.exit_code, "'illness' is quasi-identifying or sensitive" in refused.stderr) == (1, True)


def test_the_command_refuses_in_a_sentence(people, tmp_path):
    twice = said(people, "-q", "age,town", "-s", "illness,age")
    assert (twice.exit_code, "'age' is named twice" in twice.stderr) == (2, True)
    assert "does not exist" in said(tmp_path / "none.csv").stderr
    assert "one place" in said(people, "-q", "age", "--roles", people).stderr
    wrong = said(people, "-q", "agge")
    assert (wrong.exit_code, "agge" in wrong.stderr) == (2, True)
