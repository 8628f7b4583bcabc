"""(k, ε)-anonymity: what it publishes, what it refuses, and that its k-anonymizer never sees a perturbed column."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import shoal
from shoal.dp.coins.coins import SeededCoins
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.promises.guarantee import Basis

PUBLISHED = shoal.Mode.AS_PUBLISHED
ANONYMIZERS = [
    shoal.OLA(k=3),
    shoal.OptimalLattice(k=3, suppression_limit=0.2),
    shoal.Mondrian(k=3),
    shoal.Mondrian(k=3, split="relaxed"),
    shoal.Mondrian(k=3, split="single", publish="nodes"),
    shoal.LocalRecoding(k=3),
    shoal.TDS(k=3, target="illness"),
]


def people(number=120, heights=None):
    return pa.table(
        {
            "age": [20 + (i * 7) % 40 for i in range(number)],
            "sex": ["fm"[(i // 3) % 2] for i in range(number)],
            "height": [150 + (i * i) % 41 for i in range(number)] if heights is None else heights,
            "weight": [55.5 + (i * 13) % 30 for i in range(number)],
            "illness": [("flu", "cold")[i % 2] for i in range(number)],
            "note": [f"note {i}" for i in range(number)],
        }
    )


def schema(**roles):
    made = shoal.Schema(person="row")
    said = {
        "age": ("quasi-identifier", (20, 59), shoal.intervals(10, 20)),
        "sex": ("quasi-identifier", ["f", "m"], None),
        "height": ("quasi-identifier", (140, 200), None),
        "weight": ("quasi-identifier", (50, 90, 0.5), None),
        "illness": ("sensitive", ["flu", "cold"], None),
        "note": ("identifier", None, None),
    }
    for name, (role, domain, hierarchy) in said.items():
        is_counted = roles.get(name, role) in ("quasi-identifier", "sensitive")
        recipe = hierarchy if is_counted else None
        made = made.with_column(name, role=roles.get(name, role), domain=domain, hierarchy=recipe)
    if roles.get("note") == "insensitive":  # everybody has a note of their own
        made = made.with_column("note", unlinkable=True)
    return made


def method(**settings):
    return shoal.KEpsilon(**{"epsilon": 2, "perturbed": ("height", "weight"), "anonymizer": shoal.OLA(k=3)} | settings)


def released(of, table=None, said=None, seed=3):
    return of.anonymize(people() if table is None else table, said or schema(), coins=SeededCoins(seed))


# What is published


@pytest.mark.parametrize("anonymizer", ANONYMIZERS, ids=str)
@pytest.mark.parametrize("mode", shoal.Mode)
def test_the_k_quasis_are_those_of_the_k_anonymizer_alone_whatever_the_perturbed_columns_hold(anonymizer, mode):
    """Nothing but the noise depends on them."""
    plain = people().drop_columns(["height", "weight"])
    alone = shoal.Schema(tuple(column for column in schema() if column.name not in ("height", "weight")))
    expected = Counter(zip(*anonymizer.anonymize(plain, alone).data.to_pydict().values(), strict=True))
    for heights in (None, [150] * 120, [150 + i % 50 for i in range(120)]):
        release = released(method(anonymizer=anonymizer, mode=mode), people(heights=heights))
        shown = release.data.select(["age", "sex", "illness"]).to_pydict().values()
        assert Counter(zip(*shown, strict=True)) == expected
        assert release.data.num_rows == sum(expected.values())


def test_the_k_anonymizer_is_given_no_perturbed_column():
    class Spying(shoal.OLA):
        def counted(self, schema):
            assert [c.name for c in schema] == ["age", "sex", "illness", "note"]
            return super().counted(schema)

        def run(self, table, **others):
            assert table.counts.names == ("age", "sex", "illness")
            assert [a.name for a in table.attributes] == ["age", "sex", "illness"]
            return super().run(table, **others)

    released(method(anonymizer=Spying(k=3)))


@pytest.mark.parametrize(("mode", "limits"), [(shoal.Mode.RIGOROUS, [None]), (shoal.Mode.AS_PUBLISHED, [60.0])])
def test_no_clock_decides_anything_in_rigorous_mode(mode, limits, monkeypatch):
    run, seen = shoal.OptimalLattice.run, []

    def spied(self, *table, **others):
        seen.append(self.time_limit)
        return run(self, *table, **others)

    monkeypatch.setattr(shoal.OptimalLattice, "run", spied)
    released(method(anonymizer=shoal.OptimalLattice(k=3), mode=mode))
    assert seen == limits


def test_columns_passed_through_stay_with_their_record():
    """Insensitive notes keep company with their sex and illness, and every published note comes once."""
    table, said = people(), schema(note="insensitive")
    for anonymizer in ANONYMIZERS:
        for mode in shoal.Mode:
            data = released(method(anonymizer=anonymizer, mode=mode), table, said).data.to_pydict()
            assert len(set(data["note"])) == len(data["note"])
            for note, illness in zip(data["note"], data["illness"], strict=True):
                assert illness == table["illness"][int(note.split()[1])].as_py()


def test_a_value_outside_its_domain_is_no_error_in_the_rigorous_mode_and_columns_are_still_passed_through():
    """It is moved to the nearer end, a missing one to the middle: an error would tell of a record."""
    heights = [None, 900, float("nan"), -5.5] * 30
    data = released(method(), people(heights=pa.array(heights, pa.float64())), schema(note="insensitive")).data
    assert data.num_rows > 100
    assert data["height"].null_count == 0


@pytest.mark.parametrize("mode", shoal.Mode)
def test_noise_has_the_scale_of_its_class(mode):
    """6,000 records in two classes: the mean absolute noise is within 6 standard errors of the scale."""
    table = people(6000, heights=[150 + 40 * (i % 2) for i in range(6000)])
    anonymizer = shoal.OLA(k=3)
    of = shoal.KEpsilon(epsilon=4, perturbed=("height",), anonymizer=anonymizer, mode=mode, within_domain=False)
    losses = released(of, table, schema(age="dropped", weight="dropped")).facts.losses
    width = 40 if mode is PUBLISHED else 60
    scale = width / 4 * (1 / 150 + 1 / 190) / 2
    assert losses["relative error, expected (height)"] == pytest.approx(scale, rel=1e-3)
    assert losses["relative error (height)"] == pytest.approx(scale, rel=6 / np.sqrt(6000))


def test_a_class_of_one_value_is_published_as_it_is_only_in_the_published_mode():
    """KE-4."""
    table = people(heights=[171] * 120)
    assert set(released(method(mode=PUBLISHED), table).data["height"].to_pylist()) == {171.0}
    assert len(set(released(method(), table).data["height"].to_pylist())) > 10


def test_published_numbers_are_on_the_declared_grid_and_as_published_finer():
    rigorous = released(method()).data
    assert pa.types.is_integer(rigorous["height"].type)
    assert all(number * 2 == round(number * 2) for number in rigorous["weight"].to_pylist())
    finer = released(method(mode=PUBLISHED, digits=2)).data["height"].to_pylist()
    assert all(number == round(number, 2) for number in finer)
    assert any(number != round(number, 1) for number in finer)


def test_published_numbers_are_kept_within_the_domain_unless_it_is_said_or_the_paper_is_followed():
    data = released(method(epsilon=Fraction(1, 10))).data
    assert 140 <= min(data["height"].to_pylist()) <= max(data["height"].to_pylist()) <= 200
    for free in ({"within_domain": False}, {"mode": PUBLISHED}):
        assert min(released(method(epsilon=Fraction(1, 10), **free)).data["height"].to_pylist()) < 140


def test_several_columns_by_their_vector_diameter_get_no_more_noise_than_by_splitting():
    errors = [
        released(method(mode=PUBLISHED, several=several)).facts.losses["relative error, expected (height)"]
        for several in (shoal.Several.VECTOR, shoal.Several.SPLIT)
    ]
    assert errors[0] <= errors[1]


def test_bounds_by_k_quasis_hold_for_every_generalization_of_them():
    """Where a class may hold both sexes, the bounds are those of both together; tighter bounds mean less noise."""
    bounds = (
        shoal.ClassBounds(column="height", lower=150, upper=160, where={"sex": "f"}),
        shoal.ClassBounds(column="height", lower=180, upper=190, where={"sex": "m", "age": "20-39"}),
        shoal.ClassBounds(column="height", lower=170, upper=195),
    )
    one = shoal.KEpsilon(epsilon=200, perturbed=("height",), anonymizer=shoal.OLA(k=3), bounds=bounds)
    said = schema(weight="dropped")
    data = released(one, said=said).data.to_pydict()
    for sex, age, height in zip(data["sex"], data["age"], data["height"], strict=True):
        young = str(age) < "40"
        low, high = (150, 160) if sex == "f" else (180, 190) if sex == "m" and young else (150, 195)
        assert low - 9 <= height <= high + 9
    hidden = said.with_column("sex", hierarchy=None)
    top = shoal.KEpsilon(epsilon=200, perturbed=("height",), anonymizer=shoal.OLA(k=100), bounds=bounds)
    heights = released(top, said=hidden).data["height"].to_pylist()
    assert min(heights) >= 140
    assert max(heights) <= 205


def test_estimated_bounds_are_tighter_than_the_domain_where_classes_are_large():
    table = people(16_000, heights=[168 + (i * i) % 7 for i in range(16_000)])
    said = schema(weight="dropped")
    losses = {}
    for share in (0.0, 0.2):
        of = shoal.KEpsilon(epsilon=2, perturbed=("height",), anonymizer=shoal.OLA(k=2000), bounds_share=share)
        losses[share] = released(of, table, said).facts.losses["relative error (height)"]
    assert losses[0.2] < losses[0.0] / 3


# Confidence


@pytest.mark.parametrize("rule", shoal.ClassRule)
def test_confidence_leaves_out_records_that_stand_out_and_keeps_every_promise(rule):
    anonymizer = shoal.OptimalLattice(k=3, diversity=1.6, suppression_limit=0.3)
    of = method(epsilon=12, mode=PUBLISHED, confidence=0.5, class_rule=rule, anonymizer=anonymizer)
    with_all = released(replace(of, confidence=None))
    release = released(of)  # verifies its own promises, diversity among them
    assert release.data.num_rows < with_all.data.num_rows
    assert release.facts.losses["left out for confidence"] == pytest.approx(
        1 - release.data.num_rows / with_all.data.num_rows
    )


@given(epsilon=st.sampled_from([4, 8, 16]), confidence=st.sampled_from([0.3, 0.7, 0.99]), seed=st.integers(0, 99))
@examples(15)
def test_what_confidence_leaves_is_a_part_of_what_there_is_without_it(epsilon, confidence, seed):
    """The same coins: the rule only takes records out."""
    of = method(epsilon=epsilon, mode=PUBLISHED, anonymizer=shoal.Mondrian(k=3))
    whole = Counter(map(tuple, zip(*released(of, seed=seed).data.to_pydict().values(), strict=True)))
    try:
        kept = released(replace(of, confidence=confidence), seed=seed).data
    except shoal.InfeasibleError:
        return
    assert Counter(map(tuple, zip(*kept.to_pydict().values(), strict=True))) <= whole


# The certificate


def test_the_certificate_never_calls_the_published_mode_differentially_private():
    release = method(mode=PUBLISHED, epsilon=1).anonymize(people(), schema())
    first, *rest = release.certificate.guarantees
    assert first.basis is Basis.PROVED
    assert first.statement == (
        "3-anonymous on the k-quasis; linking posterior <= 0.786987 for the stated attacker; not differentially private"
    )
    assert [guarantee.basis for guarantee in rest] == [Basis.VERIFIED]
    assert "-DP" not in release.certificate.to_json()
    said = {column["name"]: column["role"] for column in release.certificate.columns}
    assert said["height"] == said["weight"] == "perturbed"
    assert release.certificate.parameters["linking posterior from one row"] == pytest.approx(0.576117, abs=1e-6)
    assert "changed by chance and not among the quasi-identifiers counted here: height, weight" in str(
        release.certificate
    )


def test_the_certificate_of_the_rigorous_mode_says_what_it_covers():
    certificate = method(epsilon=1).anonymize(people(), schema()).certificate
    assert certificate.guarantees[0].statement == (
        "1 attribute-level DP on the eps-quasis (height, weight); 3-anonymous on the k-quasis"
    )
    assert certificate.guarantees[0].neighbors is shoal.Neighbors.ATTRIBUTES
    assert certificate.parameters["anonymizer"]["name"] == "ola"


# Refusals


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"epsilon": 0}, "epsilon must be above 0"),
        ({"perturbed": ()}, "perturbed is a list of the columns"),
        ({"perturbed": "height"}, "perturbed must be a list of texts"),
        ({"perturbed": ("height", "height")}, "names 'height' twice"),
        ({"anonymizer": shoal.OLA(k=1)}, "k of the anonymizer must be 2 or more; got 1"),
        ({"anonymizer": shoal.SafePub(epsilon=1, delta=1e-5)}, "local-recoding or mdav; got safepub"),
        ({"anonymizer": shoal.NSVDist(k=3, diversity=2.0)}, "local-recoding or mdav; got nsvdist"),
        ({"anonymizer": shoal.PAIS(k=3, target="illness")}, "local-recoding or mdav; got pais"),
        ({"anonymizer": shoal.NHAA()}, "local-recoding or mdav; got nhaa"),
        ({"anonymizer": shoal.OLA}, "must be a method such as shoal.OLA(k=5); got the class OLA. Did you mean OLA()?"),
        ({"anonymizer": 5}, "must be a method such as shoal.OLA(k=5); got 5"),
        ({"bounds_share": 1}, "bounds_share is a share of epsilon, below 1"),
        ({"tail": 0.5}, "tail is a share of a class, below 0.5"),
        ({"mode": PUBLISHED, "confidence": 1}, "confidence is a probability between 0 and 1"),
        ({"mode": PUBLISHED, "digits": 7}, "digits is a whole number from 0 to 6"),
        ({"confidence": 0.9}, "confidence is for mode 'as_published' only: it looks at the true values once more"),
        ({"several": shoal.Several.VECTOR}, "several is for mode 'as_published' only"),
        ({"digits": 1}, "digits is for mode 'as_published' only"),
        ({"mode": PUBLISHED, "bounds_share": 0.1}, "bounds_share is for mode 'rigorous' only"),
        ({"bounds": (shoal.ClassBounds(column="age", lower=0, upper=1),)}, "'age', which is not in perturbed"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(settings, sentence):
    with pytest.raises(ParameterError) as raised:
        method(**settings)
    assert sentence in str(raised.value)


@pytest.mark.parametrize("lower", ["x", float("nan"), True, 9])
def test_bounds_that_make_no_sense_are_refused(lower):
    with pytest.raises(ParameterError):
        shoal.ClassBounds(column="height", lower=lower, upper=8)


@pytest.mark.parametrize(
    ("said", "settings", "sentence"),
    [
        (
            schema(height="sensitive"),
            {},
            "'height' is in perturbed and has the role 'sensitive'; a column has one part",
        ),
        (schema(height="identifier"), {}, "'height' is in perturbed and has the role 'identifier'"),
        (schema(), {"perturbed": ("sex",)}, "'sex' is in perturbed, and its values are not numbers"),
        (schema(), {"perturbed": ("hight",)}, "no column 'hight'"),
        (schema(age="identifier", sex="identifier"), {}, "every quasi-identifier is in perturbed"),
        (
            schema(),
            {"bounds": (shoal.ClassBounds(column="height", lower=1, upper=2, where={"illness": "flu"}),)},
            "bounds differ by 'illness', which is not a quasi-identifier that the k-anonymizer publishes",
        ),
    ],
)
def test_schemas_that_make_no_sense_are_refused_before_a_record_is_read(said, settings, sentence):
    with pytest.raises(SchemaError) as raised:
        method(**settings).counted(said)
    assert sentence in str(raised.value)


def test_an_undeclared_domain_is_refused_in_the_rigorous_mode_and_taken_from_the_data_as_published():
    said = shoal.Schema(tuple(replace(c, domain=None) if c.name == "height" else c for c in schema()))
    with pytest.raises(SchemaError, match="the domain of 'height' is not declared"):
        method().counted(said)
    assert released(method(mode=PUBLISHED), said=said).data.num_rows
    with pytest.raises(SchemaError, match="its values are not numbers"):
        released(method(mode=PUBLISHED), people(heights=["tall"] * 120), said)


@pytest.mark.parametrize("declared", [True, False])
def test_missing_values_are_refused_as_published(declared):
    said = schema().with_column("height", missing=True)
    if not declared:
        said = shoal.Schema(tuple(replace(c, domain=None, missing=False) if c.name == "height" else c for c in said))
    heights = pa.array([float("nan"), None, *[170.0] * 118])
    with pytest.raises(DataError, match="'height' is in perturbed and has missing values"):
        released(method(mode=PUBLISHED), people(heights=heights), said)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (shoal.ClassBounds(column="height", lower=150, upper=160, where={"sex": "x"}), "neither a value nor a group"),
        (shoal.ClassBounds(column="height", lower=1, upper=2), "outside of its declared domain"),
    ],
)
def test_bounds_that_do_not_fit_the_columns_are_refused(rule, sentence):
    with pytest.raises(SchemaError, match=sentence):
        released(method(bounds=(rule,)))


def test_noise_beyond_what_can_be_drawn_is_refused():
    with pytest.raises(ParameterError, match="asks for noise of more than 2\\^40 steps"):
        released(method(epsilon="1e-9", bounds_share=0.9999))


def test_no_owner_declares_a_column_perturbed():
    with pytest.raises(SchemaError, match="is not a role"):
        schema().with_column("height", role="perturbed")
    with pytest.raises(SchemaError, match="is what k-epsilon makes of a column"):
        schema().with_column("height", role=shoal.Role.PERTURBED)
