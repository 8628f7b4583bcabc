"""The release file: everything that can be said in it is understood, and what cannot is refused with file and place."""

# ruff: noqa: E501  a line of a release file, and what is said of it

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pytest

import shoal
from shoal.criteria import Distance
from shoal.data.domain import Origin
from shoal.data.hierarchies.build import Balanced, DateLevels, Flat, Intervals
from shoal.data.hierarchies.paths import Paths, Prefixes
from shoal.data.schema import Role
from shoal.data.unit import Unit
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Relation, attributes
from shoal.engines.reading.tidy import tidying
from shoal.errors import HierarchyError, PlanError, SchemaError, ShoalError
from shoal.methods import Mode
from shoal.plan.budget import BudgetPlan
from shoal.plan.plan import METHODS, QUALITY_MODELS, Plan, parse_quality

MINIMAL = """
[data]
path = "people.csv"
[columns.age]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[method]
name = "optimal-lattice"
"""


@pytest.fixture
def load(tmp_path):
    def load(text):
        path = tmp_path / "release.toml"
        path.write_text(text, encoding="utf-8")
        return Plan.load(path)

    return load


@pytest.fixture
def column(load):
    """The column that a line or two about it make."""

    def column(text, role="quasi-identifier"):
        return load(f'{MINIMAL}[columns.x]\nrole = "{role}"\n{text}').schema["x"]

    return column


def refused(load, text, sentence, kind=PlanError):
    with pytest.raises(ShoalError, match=sentence) as raised:
        load(text)
    assert type(raised.value) is kind
    assert "release.toml" in str(raised.value)
    assert str(raised.value).endswith((".", "?"))


# What can be said


def test_a_short_file_has_careful_defaults(load, tmp_path):
    plan = load(MINIMAL)
    assert plan.data.path == tmp_path / "people.csv"
    assert (plan.data.missing, plan.data.layout.delimiter, plan.data.layout.encoding) == (("",), None, "utf-8")
    assert (plan.output, plan.format) == (tmp_path / "release", "csv")
    assert plan.method == shoal.OptimalLattice()
    assert [(c.name, c.role, c.domain, c.hierarchy, c.missing, c.observed) for c in plan.schema] == [
        ("age", Role.QUASI_IDENTIFIER, None, None, False, False),
        ("illness", Role.SENSITIVE, None, None, False, False),
    ]


def test_everything_about_data_and_output_can_be_said(load, tmp_path):
    plan = load(
        MINIMAL.replace(
            'path = "people.csv"',
            'path = "/elsewhere/x.csv"\nmissing = ["?", 99]\ndelimiter = ";"\nencoding = "latin-1"',
        )
        + '[output]\npath = "out/here/"\nformat = "parquet"\n'
    )
    assert plan.data.path == Path("/elsewhere/x.csv")
    assert (plan.data.missing, plan.data.layout.delimiter, plan.data.layout.encoding) == (("?", "99"), ";", "latin-1")
    assert (plan.output, plan.format) == (tmp_path / "out" / "here", "parquet")


def test_a_file_may_begin_with_a_byte_order_mark_and_be_given_by_a_relative_path(tmp_path, monkeypatch):
    (tmp_path / "release.toml").write_text("\ufeff" + MINIMAL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert Plan.load(Path("release.toml")).data.path == tmp_path.resolve() / "people.csv"


DOMAINS = {
    'domain = ["a", 1, 2.5, true]': shoal.Categorical(("a", "1", "2.5", "true")),
    'domain = { values = ["a", "b"] }': shoal.Categorical(("a", "b")),
    'domain = { values = ["low", "high"], ordered = true }': shoal.Categorical(("low", "high"), ordered=True),
    "domain = { digits = 2 }": shoal.Categorical(tuple(f"{i:02}" for i in range(100))),
    "domain = { from = 17, to = 90 }": shoal.Grid.between(17, 90),
    "domain = { from = 0, to = 2.5, step = 0.1 }": shoal.Grid.between(0, "2.5", "0.1"),
    "domain = { from = 2020-01-01, to = 2020-12-31 }": shoal.Dates(dt.date(2020, 1, 1), dt.date(2020, 12, 31)),
    'domain = { from = "2020-01-01", to = 2020-12-31T10:00:00 }': shoal.Dates(
        dt.date(2020, 1, 1), dt.date(2020, 12, 31)
    ),
    "domain = { from = 1, to = 2, observed = true }": shoal.Grid.between(1, 2, origin=Origin.OBSERVED),
    "domain = { digits = 1, observed = true }": shoal.Categorical(tuple("0123456789"), origin=Origin.OBSERVED),
    "domain = { observed = true }": None,
}


@pytest.mark.parametrize(("text", "domain"), DOMAINS.items(), ids=DOMAINS)
def test_every_kind_of_domain_can_be_said(column, text, domain):
    assert column(text).domain == domain
    assert column(text).observed == ("observed" in text)


HIERARCHIES = {
    "{ intervals = [5, 10.0] }": Intervals((Decimal(5), Decimal("10.0"))),
    "{ intervals = [0.5], origin = 0.25 }": Intervals((Decimal("0.5"),), Decimal("0.25")),
    "{ prefixes = [3, 2] }": Prefixes((3, 2)),
    "{ prefixes = true }": Prefixes(),
    '{ dates = ["month", "year"] }': DateLevels(("month", "year")),
    '{ ordering = ["low", "high"] }': Balanced(("low", "high"), 2),
    '{ ordering = ["low", "high"], fanout = 3 }': Balanced(("low", "high"), 3),
    "{ balanced = 5 }": Balanced(fanout=5),
    "{ flat = true }": Flat(),
    '{ tree = { any = { b = ["c", "d"], a = [] } } }': shoal.tree({"any": {"b": ["c", "d"], "a": []}}),
}


@pytest.mark.parametrize(("text", "recipe"), HIERARCHIES.items(), ids=HIERARCHIES)
def test_every_kind_of_hierarchy_can_be_said(column, text, recipe):
    made = column(f"hierarchy = {text}").hierarchy
    assert (made.rows if isinstance(made, Paths) else made) == (recipe.rows if isinstance(recipe, Paths) else recipe)


def test_hierarchies_are_read_from_files_beside_the_release_file(column, tmp_path):
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "job.csv").write_text("a,x,*\nb,y,*\n")
    (tmp_path / "h" / "edges.csv").write_text("a,x\nb,y\nx,*\ny,*\n")
    rows = (("a", "x", "*"), ("b", "y", "*"))
    assert column('hierarchy = "h/job.csv"').hierarchy.rows == rows
    assert column('hierarchy = { edges = "h/edges.csv" }').hierarchy.rows == rows


@pytest.mark.parametrize("role", [role.value for role in Role.to_declare()])
def test_every_role_can_be_said(column, role):
    assert column("missing = true", role).role.value == role
    assert column("missing = true", role).missing


METHOD_LINES = {
    "k = 7": {"k": 7},
    "diversity = 2.5": {"diversity": 2.5},
    "closeness = 0.2": {"closeness": 0.2},
    "suppression_limit = 1": {"suppression_limit": 1},
    'quality = "discernibility"': {"quality": shoal.Discernibility()},
    'quality = "classification"\ntarget = "illness"': {"quality": shoal.Classification("illness")},
    'quality = "entropy"\nweights = { age = 2.0 }': {"quality": shoal.NonUniformEntropy({"age": 2.0})},
    'criteria = [{ name = "closeness", closeness = 0.3, column = "illness", distance = "hierarchical" }]': {
        "criteria": (shoal.Closeness(0.3, "illness", Distance.HIERARCHICAL),)
    },
    'criteria = [{ name = "k-anonymity", k = 9 }, { name = "disclosure", delta = 2, column = "illness" }]': {
        "criteria": (shoal.KAnonymity(9), shoal.Disclosure(2, "illness"))
    },
}


@pytest.mark.parametrize("method", ["optimal-lattice", "ola"])
@pytest.mark.parametrize(("lines", "parameters"), METHOD_LINES.items(), ids=METHOD_LINES)
def test_every_parameter_of_a_method_can_be_said(load, method, lines, parameters):
    assert load(MINIMAL.replace("optimal-lattice", method) + lines).method == METHODS[method](**parameters)


def test_the_time_limit_is_a_parameter_of_the_optimal_search_alone(load):
    assert load(MINIMAL + "time_limit = 2.5").method == shoal.OptimalLattice(time_limit=2.5)
    refused(
        load,
        MINIMAL.replace("optimal-lattice", "ola") + "time_limit = 2",
        r"\[method\]: 'time_limit' is not known here",
    )


PRIVATE = {
    "": {},
    'mode = "as_published"\nsteps = 10': {"mode": Mode.AS_PUBLISHED, "steps": 10},
    "schemes = [{ age = 1 }, { age = 2, illness = 1 }]": {"schemes": ({"age": 1}, {"age": 2, "illness": 1})},
    "search_share = 0.2\ncandidates = 50\nexpected_records = 10000": {
        "search_share": 0.2,
        "candidates": 50,
        "expected_records": 10_000,
    },
    "sampling_rate = 0.25": {"sampling_rate": 0.25},
    'quality = "granularity"': {"quality": shoal.Granularity()},
}

DECLARED = """
[data]
path = "people.csv"
[columns.age]
role = "quasi-identifier"
domain = { from = 0, to = 99 }
[columns.illness]
role = "sensitive"
domain = ["flu", "cold"]
[method]
name = "safepub"
epsilon = 1.0
delta = 1e-5
"""


@pytest.mark.parametrize(("lines", "parameters"), PRIVATE.items(), ids=PRIVATE)
def test_every_parameter_of_a_private_method_can_be_said(load, lines, parameters):
    assert load(DECLARED + lines).method == shoal.SafePub(epsilon=1.0, delta=1e-5, **parameters)


def test_a_limit_is_told_under_the_method_s_relation_or_under_the_one_it_names(load):
    told = {
        "": shoal.Neighbors.ADD_REMOVE,
        ', neighbors = "replace"': shoal.Neighbors.REPLACE,
        ', neighbors = "attributes", protected = ["age", "zip"]': attributes("age", "zip"),
        ', protected = ["age"]': attributes("age"),
        ', unit = "person"': Relation(shoal.Neighbors.ADD_REMOVE, unit=Unit.PERSON),
        ', neighbors = "replace", unit = "household"': Relation(shoal.Neighbors.REPLACE, unit=Unit.HOUSEHOLD),
    }
    for said, relation in told.items():
        plan = load(DECLARED + f"[budget]\nlimit = {{ epsilon = 2, delta = 1e-4{said} }}\n")
        assert plan.budget.limit == shoal.PrivacyCost.of(2, "1e-4", relation)


def test_a_budget_can_be_said(load, tmp_path):
    assert load(DECLARED).budget == BudgetPlan()
    said = load(
        DECLARED + '[budget]\nlimit = { epsilon = 2, delta = 1e-4 }\nledger = "books"\ndataset = "people"\n'
    ).budget
    assert said == BudgetPlan(PrivacyCost.of(2, "1e-4"), tmp_path / "books", "people")


PRIVATELY_WRONG = {
    'mode = "rigourous"': r"\[method\]: mode must be rigorous or as_published; got 'rigourous'.* Did you mean 'rigorous'",
    "mode = ['rigorous']": r"\[method\]: mode must be rigorous or as_published",
    "schemes = { age = 1 }": r"\[method\]: schemes must be a list of tables of levels",
    "schemes = [{ age = 1.5 }]": r"\[method\]: schemes\[0\]\['age'\] must be a whole number; got 1.5",
    "k = 5": r"\[method\]: 'k' is not known here; expected epsilon, delta",
    "search_share = 2": r"\[method\]: search_share is a share of epsilon between 0 and 1; got 2",
    "[budget]\nlimit = 2": r"\[budget\]: limit is a table such as",
    "[budget]\nlimit = { delta = 1e-4 }": r"\[budget\]: limit is a table such as .*; epsilon is missing\.$",
    "[budget]\nlimit = { epsilon = 1, dleta = 1 }": r"\[budget\] limit: 'dleta' is not known here; .*Did you mean 'delta'",
    "[budget]\nlimit = { epsilon = -1 }": r"\[budget\] limit: ",
    '[budget]\nlimit = { epsilon = 1, delta = "1e-4" }': (
        r"\[budget\] limit: delta is a number, without quotation marks; got '1e-4'\.$"
    ),
    '[budget]\nlimit = { epsilon = 1, neighbors = "far" }': r"\[budget\] limit: neighbors is one of add/remove, replace,",
    "[budget]\nlimit = { epsilon = 1, neighbors = [1] }": r"\[budget\] limit: neighbors is one of add/remove, replace,",
    '[budget]\nlimit = { epsilon = 1, neighbors = "attributes" }': r"limit: .* does not say which attributes are protected",
    '[budget]\nlimit = { epsilon = 1, protected = "age" }': r"\[budget\] limit protected: expected a list",
    '[budget]\nlimit = { epsilon = 1, neighbors = "replace", protected = ["age"] }': r"limit: .* protects whole records",
    "[budget]\nlegder = 'x'": r"\[budget\]: 'legder' is not known here; .*Did you mean 'ledger'",
}


@pytest.mark.parametrize(("lines", "sentence"), PRIVATELY_WRONG.items(), ids=PRIVATELY_WRONG)
def test_what_cannot_be_said_of_a_private_method_is_refused(load, lines, sentence):
    refused(load, DECLARED + lines, sentence)


NESTED_WRONG = {
    'name = "microaggregation-dp"\nepsilon = 1\nk = "five"': r"\[method\]: k must be a whole number, 1 or more or auto; got 'five'",
    'name = "k-epsilon"\nepsilon = 1\nperturbed = ["age"]\nanonymizer = { k = 5 }': (
        r"\[method\], anonymizer: name is missing; expected one of optimal-lattice"
    ),
    'name = "k-epsilon"\nepsilon = 1\nperturbed = ["age"]\nanonymizer = { name = "ola", kk = 5 }': (
        r"\[method\], anonymizer: 'kk' is not known here; .*Did you mean 'k'"
    ),
    'name = "k-epsilon"\nepsilon = 1\nperturbed = ["age"]\nanonymizer = { name = "nsvdist", k = 5, diversity = 2 }': (
        r"\[method\]: anonymizer must be a method that promises k-anonymity, .*; got nsvdist\."
    ),
    'name = "noise"\nperturbed = ["age"]\nk = 3': (
        r"\[method\]: noise has no k of its own: .* anonymizer = { name = \"mondrian\", k = 3 }"
    ),
    'name = "pram"\nperturbed = ["age"]\ndiversity = 3': r"\[method\]: pram has no diversity of its own: .*anonymizer",
}


@pytest.mark.parametrize(("lines", "sentence"), NESTED_WRONG.items(), ids=NESTED_WRONG)
def test_a_number_or_word_and_a_method_within_a_method_are_refused_where_they_stand(load, lines, sentence):
    refused(load, DECLARED.split("[method]", maxsplit=1)[0] + "[method]\n" + lines, sentence)


def test_a_private_method_needs_its_parameters_and_declared_domains(load, tmp_path):
    refused(load, DECLARED.replace("epsilon = 1.0", ""), r"\[method\]: safepub needs epsilon")
    observed = DECLARED.replace('domain = ["flu", "cold"]', "domain = { observed = true }")
    with pytest.raises(SchemaError, match=r"release.toml: the domain of 'illness' is not declared"):
        load(observed).require_sense(tmp_path / "release.toml")


@pytest.mark.parametrize("name", QUALITY_MODELS)
def test_every_quality_model_has_a_name(name):
    model = parse_quality(name, target="illness" if name == "classification" else None)
    assert type(model) is QUALITY_MODELS[name]


# What cannot


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(
        PlanError, match=r"nowhere\.toml does not exist; `shoal init DATA` writes a release file to start"
    ):
        Plan.load(tmp_path / "nowhere.toml")
    with pytest.raises(PlanError, match="cannot be read as UTF-8 text"):
        Plan.load(tmp_path)
    path = tmp_path / "release.toml"
    path.write_bytes(b"caf\xe9")
    with pytest.raises(PlanError, match=r"release\.toml cannot be read as UTF-8 text \(UnicodeDecodeError\)"):
        Plan.load(path)
    path.write_text("[data\n")
    with pytest.raises(PlanError, match=r"release\.toml is not valid TOML: .*line 1.*\)\.$"):
        Plan.load(path)


@pytest.mark.parametrize("content", [b"age,sex\n30,f\n", b"PAR1\xff\xfe"], ids=["CSV", "not even a text"])
def test_a_table_in_place_of_a_release_file_is_told_how_to_get_one(tmp_path, content):
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    with pytest.raises(PlanError, match=r"If it is a table, `shoal init people\.csv` writes a release file for it\.$"):
        Plan.load(path)


UNKNOWN = {
    "[datas]\n": r"'datas' is not known here; expected release, data, columns, method, budget, output. Did you mean 'data'",
    "[data]\npaht = 1\n": r"\[data\]: 'paht' is not known here; .*Did you mean 'path'",
    "[columns.age]\nrol = 1\n": r"\[columns\.age\]: 'rol' is not known here; .*Did you mean 'role'",
    "[columns.age]\ndomain = { form = 1, to = 2 }\n": r"\[columns\.age\] domain: 'form' is not known .*Did you mean 'from'",
    "[columns.age]\nhierarchy = { interval = [5] }\n": r"\[columns\.age\] hierarchy: expected .*Did you mean 'intervals'",
    "[columns.age]\nhierarchy = { intervals = [5], orgin = 1 }\n": r"hierarchy: 'orgin' is not known .*Did you mean 'origin'",
    "[columns.age]\nhierarchy = { prefixes = [2], fanout = 1 }\n": r"hierarchy: 'fanout' is not known here; expected prefixes",
    "[method]\nsupression_limit = 1\n": r"\[method\]: 'supression_limit' is not .*Did you mean 'suppression_limit'",
    "[output]\nformat = 'csv'\npfad = 1\n": r"\[output\]: 'pfad' is not known here; expected path, format",
}


@pytest.mark.parametrize(("text", "sentence"), UNKNOWN.items(), ids=UNKNOWN)
def test_an_unknown_key_is_refused_where_it_stands_with_the_nearest_known_one(load, text, sentence):
    refused(load, merged(text), sentence)


WRONG = {
    '[method]\nname = "optimal-latice"': r"\[method\]: 'optimal-latice' is not a method; .*Did you mean 'optimal-lattice'",
    "[method]\nname = ['ola']": r"\[method\]: \['ola'\] is not a method",
    '[method]\nquality = "los"': r"\[method\]: 'los' is not a quality model; .*Did you mean 'loss'",
    "[method]\nquality = 3": r"\[method\]: 3 is not a quality model",
    '[method]\nquality = "classification"': r"\[method\]: the quality model 'classification' needs a target",
    '[method]\ntarget = "illness"': r"\[method\]: target has no meaning for the quality model 'loss'",
    '[method]\nquality = "classification"\ntarget = 5': r"\[method\]: target must be a text; got 5",
    "[method]\nweights = 2": r"\[method\]: weights must be a table such as",
    '[method]\nweights = { age = "much" }': r"\[method\]: weights\['age'\] must be a number; got 'much'",
    "[method]\nk = 2.5": r"\[method\]: k must be a whole number, 1 or more; got 2.5",
    "[method]\nk = 0": r"\[method\]: k must be a whole number, 1 or more; got 0",
    '[method]\nk = "five"': r"\[method\]: k must be a whole number, 1 or more; got 'five'",
    "[method]\nk = true": r"\[method\]: k must be a whole number, 1 or more; got True",
    "[method]\nsuppression_limit = 5": r"\[method\]: suppression_limit is a share between 0 and 1; got 5",
    "[method]\nsuppression_limit = nan": r"\[method\]: suppression_limit must be a number; got nan",
    "[method]\ntime_limit = inf": r"\[method\]: time_limit must be a number; got inf",
    "[method]\ntime_limit = 0": r"\[method\]: time_limit is a number of seconds above 0; got 0",
    "[method]\ndiversity = 'two'": r"\[method\]: diversity must be a number such as 2.5 or .5/2., 1 or more; got 'two'",
    "[method]\ncriteria = 'closeness'": r"\[method\]: criteria are a list of tables such as",
    "[method]\ncriteria = ['closeness']": r"\[method\]: criteria are a list of tables such as",
    "[method]\ncriteria = [{ name = 'closenes' }]": r"\[method\]: 'closenes' is not a criterion; .*Did you mean 'closeness'",
    "[method]\ncriteria = [{ name = 'closeness', t = 0.2 }]": r"\[method\]: 't' is not a parameter of closeness; it has",
    "[method]\ncriteria = [{ name = 'closeness', closeness = 0.2 }]": r"\[method\]: closeness needs column",
    "[method]\ncriteria = [{ name = 'closeness', closeness = 2, column = 'illness' }]": r"\[method\]: closeness must be between",
    "[method]\ncriteria = [{ name = 'disclosure', delta = inf, column = 'illness' }]": r"\[method\]: disclosure: delta must be a number; got inf, which is not finite",
    "[method]\ncriteria = [{ name = 'closeness', closeness = 0.2, column = 'age' }]": (
        r"\[method\]: closeness needs a sensitive column, and 'age' is not one; sensitive columns: 'illness'"
    ),
    "[data]\npath = 5": r"\[data\]: path must be a text; got 5",
    "[data]\npath = ''": r"\[data\]: path must be a text; got ''",
    "[data]\nmissing = '?'": r"\[data\] missing: expected a list of values; got '\?'",
    "[data]\ndelimiter = 5": r"\[data\]: delimiter must be a text; got 5",
    "[data]\nencoding = 8": r"\[data\]: encoding must be a text; got 8",
    "[output]\npath = 3": r"\[output\]: path must be a text; got 3",
    "[output]\nformat = 'parket'": r"\[output\]: format must be one of csv, parquet, xlsx, sav, dta; got 'parket'.* Did you mean 'parquet'",
    "[budget]\nlimit = { epsilon = 1.0 }": r"\[budget\] limits what differentially private methods spend",
    "[columns]\nage = 'quasi-identifier'": r"\[columns.age\]: expected a table such as \[columns.age\] with role =",
    "[columns.age]\nrole = 5": r"\[columns.age\]: role must be a text; got 5",
    "[columns.age]\nmissing = 'yes'": r"\[columns.age\]: missing is true or false; got 'yes'",
    "[columns.age]\ndomain = 'all'": r"\[columns.age\] domain: expected a list of values or a table such as",
    "[columns.age]\ndomain = [[1]]": r"\[columns.age\] domain: expected a list of values; got \[\[1\]\]",
    "[columns.age]\ndomain = { from = 1 }": r"\[columns.age\] domain: from and to go together; to is missing",
    "[columns.age]\ndomain = { to = 1 }": r"\[columns.age\] domain: 'to' has no meaning beside nothing that makes a domain",
    "[columns.age]\ndomain = { values = ['a'], to = 1 }": r"\[columns.age\] domain: 'to' has no meaning beside 'values'",
    "[columns.age]\ndomain = { digits = 9 }": r"\[columns.age\] domain: digits is a whole number from 1 to 6; got 9",
    "[columns.age]\ndomain = { from = 2020-01-01, to = 2021-01-01, step = 2 }": r"domain: days have no step; remove it",
    "[columns.age]\ndomain = { observed = 1 }": r"\[columns.age\] domain: observed is true or false; got 1",
    "[columns.age]\nhierarchy = 5": r"\[columns.age\] hierarchy: expected the path of a CSV file or a table with one of",
    "[columns.age]\nhierarchy = ''": r"\[columns.age\] hierarchy: expected the path of a CSV file",
    "[columns.age]\nhierarchy = { flat = true, balanced = 2 }": r"\[columns.age\] hierarchy: expected the path",
    "[columns.age]\nhierarchy = { intervals = 5 }": r"hierarchy: intervals are a list of widths, such as \[5, 10, 20\]; got 5",
    "[columns.age]\nhierarchy = { intervals = [inf] }": r"hierarchy: intervals are a list of widths",
    "[columns.age]\nhierarchy = { intervals = [5], origin = 'x' }": r"hierarchy: origin is a number; got 'x'",
    "[columns.age]\nhierarchy = { prefixes = [2.5] }": r"hierarchy: prefixes are a list of lengths",
    "[columns.age]\nhierarchy = { prefixes = false }": r"hierarchy: prefixes are a list of lengths, such as .*; got False",
    "[columns.age]\nhierarchy = { dates = 'month' }": r"hierarchy: expected a list of values; got 'month'",
    "[columns.age]\nhierarchy = { balanced = 2.5 }": r"hierarchy: neighbors are joined by a whole number, such as 5; got 2.5",
    "[columns.age]\nhierarchy = { ordering = ['a'], fanout = 'x' }": r"hierarchy: neighbors are joined by a whole number",
    "[columns.age]\nhierarchy = { tree = { any = [1] } }": r"hierarchy: a tree is made of tables and lists of texts; got \[1\]",
    "[columns.age]\nhierarchy = { edges = 5 }": r"hierarchy: edges must be a text; got 5",
    "[columns.age]\nhierarchy = { flat = false }": r"hierarchy: flat is true or left out; got False",
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.items(), ids=WRONG)
def test_a_value_that_cannot_be_is_refused_where_it_stands(load, text, sentence):
    refused(load, merged(text), sentence)


@pytest.mark.parametrize("table", ["data", "columns", "method"])
def test_a_missing_table_is_named(load, table):
    content = merged("", without=table)
    refused(load, content, rf"the table \[{table}\] is missing; `shoal init DATA` writes a release file to start from")
    refused(load, f"{table} = 5\n{content}", rf"{table} must be a table, \[{table}\]; got 5")


def test_a_column_without_a_role_is_refused(load):
    sentence = r"\[columns.x\]: the role is missing; expected one of identifier, dropped, quasi-identifier, sensitive, insensitive"
    refused(load, MINIMAL + "[columns.x]\nmissing = true\n", sentence)


SCHEMAS = {
    '[columns.age]\nrole = "quasi"': (r"\[columns.age\]: 'quasi' is not a role; expected one of .*quasi", SchemaError),
    "[columns.age]\ndomain = ['a', 'a']": (r"\[columns.age\]: a domain lists 'a' twice", SchemaError),
    "[columns.age]\ndomain = { from = 9, to = 1 }": (r"\[columns.age\]: a domain from 9 to 1 .*is empty", SchemaError),
    "[columns.age]\ndomain = { from = 'x', to = 1 }": (
        r"\[columns.age\]: 'from' of a numeric domain must be",
        SchemaError,
    ),
    "[columns.age]\ndomain = { from = 0, to = 1, step = 0.3 }": (r"not a whole number of steps of 0\.3", SchemaError),
    "[columns.age]\nhierarchy = { intervals = [5, 7] }": (
        r"\[columns.age\]: intervals of width 7 do not nest",
        HierarchyError,
    ),
    "[columns.age]\nhierarchy = { prefixes = [2, 3] }": (
        r"\[columns.age\]: prefixes keep falling numbers",
        HierarchyError,
    ),
    "[columns.age]\nhierarchy = { dates = ['week'] }": (
        r"\[columns.age\]: dates become month, quarter",
        HierarchyError,
    ),
    "[columns.age]\nhierarchy = { balanced = 1 }": (
        r"\[columns.age\]: a balanced tree needs a fanout of 2",
        HierarchyError,
    ),
    "[columns.age]\nhierarchy = { tree = { a = ['x'], b = ['y'] } }": (
        r"\[columns.age\].* has 2 roots",
        HierarchyError,
    ),
    "[columns.age]\nhierarchy = 'nowhere.csv'": (
        r"\[columns.age\]: the hierarchy file .* does not exist",
        HierarchyError,
    ),
    "[columns.age]\nhierarchy = { edges = 'nowhere.csv' }": (
        r"\[columns.age\]: the hierarchy file .*nowhere",
        HierarchyError,
    ),
}


@pytest.mark.parametrize(("text", "wanted"), SCHEMAS.items(), ids=SCHEMAS)
def test_what_does_not_fit_together_is_refused_with_the_file_and_the_place(load, text, wanted):
    sentence, kind = wanted
    refused(load, merged(text), sentence, kind)
    with pytest.raises(kind) as stopped:
        load(merged(text))
    assert stopped.value.exit_code == 2, "it is the release file that is wrong, be it one mistake or several"


SENSELESS = {
    '[columns.age]\nrole = "sensitive"': r"release.toml: no column is a quasi-identifier, so there is nothing",
    '[columns.illness]\nrole = "insensitive"\n[method]\ndiversity = 2': r"release.toml: diversity protects sensitive columns",
    '[method]\nquality = "classification"\ntarget = "ilness"': r"there is no column 'ilness'; .*Did you mean 'illness'",
}


@pytest.mark.parametrize(("text", "sentence"), SENSELESS.items(), ids=SENSELESS)
def test_a_schema_that_the_method_cannot_work_with_is_read_and_then_refused(load, tmp_path, text, sentence):
    plan = load(merged(text))
    with pytest.raises(SchemaError, match=sentence):
        plan.require_sense(tmp_path / "release.toml")


def merged(text, without=None):
    """The minimal file with some lines said anew: a table of `text` goes before the minimal one's lines it repeats."""
    tables = {}
    for block in (MINIMAL, text):
        table = None
        for line in block.strip().splitlines():
            if line.startswith("["):
                table = line
                tables.setdefault(table, {})
            elif line:
                tables[table][line.split("=")[0].strip()] = line
    if "[columns]" in tables:
        tables.pop("[columns.age]")
    kept = {head: lines for head, lines in tables.items() if without is None or not head.startswith(f"[{without}")}
    return "\n".join(line for head, lines in kept.items() for line in (head, *lines.values()))


def test_lines_without_use_are_ignored_and_noted(load):
    useless = '[columns.age]\nrole = "insensitive"\ndomain = { observed = true }\nhierarchy = "nowhere.csv"'
    plan = load(merged(f"{useless}\n[columns.illness]\nunlinkable = true"))
    assert plan.schema["age"] == shoal.Column("age", Role.INSENSITIVE)
    assert plan.notes == (
        "hierarchy of column 'age' has no use with the role 'insensitive' and is ignored.",
        "domain of column 'age' has no use with the role 'insensitive' and is ignored.",
        "unlinkable of column 'illness' has no use with the role 'sensitive' and is ignored.",
    )
    assert load(MINIMAL).notes == ()


def test_diversity_is_ignored_where_nothing_is_published_as_it_is(load):
    plan = load(merged('[columns.illness]\nrole = "quasi-identifier"\n[method]\ndiversity = 2'))
    assert plan.method.diversity is None
    assert "diversity protects sensitive columns" in plan.notes[0]


def test_everything_that_is_wrong_is_said_at_once(load):
    wrong = """
        [columns.age]
        role = "quasi-identifer"
        [columns.illness]
        domain = { from = 1 }
        [output]
        format = "xls"
    """
    with pytest.raises(PlanError, match="has 3 errors:") as caught:
        load(merged(wrong.replace("    ", "")))
    lines = str(caught.value).splitlines()[1:]
    assert ["[output]: format" in lines[0], "[columns.age]" in lines[1], "to is missing" in lines[2]] == [True] * 3
    more = """
        [columns.age]
        hierarchy = { interval = [5] }
        [method]
        k = 0
    """
    with pytest.raises(PlanError, match="has 2 errors:") as caught:
        load(merged(more.replace("    ", "")))
    assert "[method]" in str(caught.value)


GLOBS = """
[data]
path = "people.csv"
[columns."q_*"]
role = "sensitive"
[columns.q_2]
role = "dropped"
[columns."*"]
role = "quasi-identifier"
[method]
name = "optimal-lattice"
"""


def test_one_table_speaks_for_many_columns_and_a_name_counts_before_a_pattern(load, tmp_path):
    (tmp_path / "people.csv").write_text("age,q_1,q_2,q_10,w?\n1,2,3,4,5\n")
    plan = load(GLOBS + '[columns."w?"]\nrole = "dropped"\n')
    assert {column.name: column.role.value for column in plan.schema} == {
        "age": "quasi-identifier", "q_1": "sensitive", "q_2": "dropped", "q_10": "sensitive", "w?": "dropped",
    }  # fmt: skip
    assert plan.tables == {"age": "*", "q_1": "q_*", "q_10": "q_*"}
    with pytest.raises(PlanError, match=r'\[columns."p_\*"\] stands for no column of the data'):
        load(GLOBS + '[columns."p_*"]\nrole = "dropped"\n')
    with pytest.raises(SchemaError, match=r"\[columns.q_1\].*'sensitiv' is not a role"):
        load(GLOBS.replace('role = "sensitive"', 'role = "sensitiv"'))  # once, and not for each column


@pytest.mark.parametrize(("last", "year"), [(2024, 1931), (2030, 1931), (2031, 2031), (2068, 2031), (2100, 2031)])
def test_two_digits_of_a_year_are_of_the_hundred_years_that_end_with_the_domain(tmp_path, last, year):
    (tmp_path / "release.toml").write_text(
        f"""
[data]
path = "people.csv"
person = "row"
[columns.born]
role = "quasi-identifier"
dates = "%d.%m.%y"
domain = {{ from = 1920-01-01, to = {last}-12-31 }}
[method]
name = "mondrian"
k = 1
""",
        encoding="utf-8",
    )
    layout = Plan.load(tmp_path / "release.toml").data.layout
    assert tidying(layout, "born")("01.02.31") == f"{year}-02-01"
