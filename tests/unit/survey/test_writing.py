"""How a file seems to be written: found by `shoal init`, declared with the reason, and read so by a run."""

import datetime as dt
import tomllib

import pytest
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.data.domain import Dates, Grid
from shoal.engines.reading.layout import PLAIN, Layout
from shoal.plan.plan import Plan
from shoal.survey.missing_codes import missing_codes
from shoal.survey.writing import writing_of

GERMAN = "sep=;\nAlter;Lohn;Geburt;Ort;Score\n" + "".join(
    f"{age};{1 + age % 7}.{100 + age % 800},5;{1 + age % 28:02}.{1 + age % 12}.{1980 + age % 20};{town};{score}\n"
    for age, town, score in zip(
        [*range(20, 60), -999, -999], ["Köln", "Ulm "] * 21, ["1,5", ".", "0,25", "3,0", "2,75", "."] * 7, strict=True
    )
)


def found(folder, text, given=PLAIN, encoding="utf-8", name="data.csv"):
    (folder / name).write_bytes(text.encode(encoding))
    return writing_of(folder / name, given, ("", "."))


def test_a_file_from_german_excel(tmp_path):
    writing = found(tmp_path, GERMAN, encoding="cp1252")
    layout = writing.layout
    assert (layout.encoding, layout.decimal, layout.thousands, layout.trim) == ("cp1252", ",", ".", True)
    assert layout.of("Geburt").dates == ("%d.%m.%Y",)
    assert writing.why["decimal"] == "2 columns of numbers are written so"
    assert writing.why["trim"] == "1 column has spaces around texts"


def test_what_is_found_is_declared_and_the_file_is_read_so(tmp_path):
    (tmp_path / "data.csv").write_bytes(GERMAN.encode("cp1252"))
    result = CliRunner().invoke(app, ["init", str(tmp_path / "data.csv"), "-o", str(tmp_path / "release.toml")])
    assert result.exit_code == 0, result.output
    said = tomllib.loads((tmp_path / "release.toml").read_text(encoding="utf-8"))
    assert said["data"]["missing"] == ["", "."]
    assert said["columns"]["Alter"]["missing"] == ["-999"]
    plan = Plan.load(tmp_path / "release.toml")
    assert plan.data.layout.of("Alter").missing == ("-999",)
    assert isinstance(plan.schema["Lohn"].domain, Grid)
    assert isinstance(plan.schema["Geburt"].domain, Dates)
    made = CliRunner().invoke(app, ["run", str(tmp_path / "release.toml"), "--json"])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "release/data.csv").read_text(encoding="utf-8").count("\n") >= 40


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('a,b\n"1,234",x\n"12,345",y\n', (".", ",")),
        ("a;b\n1,234;x\n2,345;y\n", (",", None)),
        ('a,b\n"0,234",x\n"12,3",y\n', (",", None)),
        ("a;b\n1'234.5;x\n22;y\n", (".", "'")),
        ("a;b\n1 234,5;x\n22;y\n", (",", " ")),
        ("a;b\n1.234;x\n22.5;y\n", (".", None)),
        ("a;b\n1.234,5;1.234\n22,5;0.5\n", (",", None)),  # the other column would be read as thousands
        ("a;b\nv1,5;x\nv2,5;y\n", (".", None)),
    ],
)
def test_decimal_signs_and_thousands(tmp_path, text, written):
    layout = found(tmp_path, text).layout
    assert (layout.decimal, layout.thousands) == written or (written == (",", None) and "1.234,5" in text)


def test_a_sign_between_thousands_changes_no_plain_number(tmp_path):
    assert found(tmp_path, "a;b\n1.234,5;1.234\n22,5;0.5\n").layout.thousands != "."


@pytest.mark.parametrize(
    ("days", "formats", "is_sure"),
    [
        (["12/31/2024", "01/02/2024"], ("%m/%d/%Y",), True),
        (["31/12/2024", "01/02/2024"], ("%d/%m/%Y",), True),
        (["01/02/2024", "03/04/2024"], ("%d/%m/%Y",), False),
        (["2024-01-31", "31.01.2024"], ("%Y-%m-%d", "%d.%m.%Y"), True),
        (["2024-01-31 10:00", "2024-02-01 23:59"], ("%Y-%m-%d %H:%M",), True),
        (["31JAN2024", "01FEB2024"], ("%d%b%Y",), True),
        (["20240131", "20241231"], ("%Y%m%d",), True),
        (["20240131", "99999999"], (), True),
        (["2024-01-31", "2024-02-01"], (), True),
        (["31.01.2024", "soon 1"], (), True),
        (["13/13/2024", "01/02/2024"], (), True),
        (["31.12.99", "1.2.03"], ("%d.%m.%y",), False),
        (["12/31/99", "1/2/03"], ("%m/%d/%y",), False),
        (["31-Jan-99", "01-Feb-03"], ("%d-%b-%y",), False),
        (["31.12.1999", "01.02.03"], ("%d.%m.%Y", "%d.%m.%y"), False),
        (["32.12.99", "1.2.03"], (), True),
    ],
)
def test_days(tmp_path, days, formats, is_sure):
    writing = found(tmp_path, "a,b\n" + "".join(f"{day},x\n" for day in days))
    assert writing.layout.of("a").dates == formats
    assert ("CHECK" not in writing.why_dates.get("a", "")) is is_sure
    has_short_years = any("%y" in way for way in formats)
    assert ("years with two digits are taken for 1969 to 2068" in writing.why_dates.get("a", "")) is has_short_years


def test_encodings(tmp_path):
    assert found(tmp_path, "a,b\nö,1\n").layout.encoding == "utf-8"
    assert found(tmp_path, "a,b\nö,1\n", encoding="utf-16").layout.encoding == "utf-16"
    assert found(tmp_path, "a,b\nö\x81,1\n", encoding="latin-1").layout.encoding == "latin-1"
    assert found(tmp_path, "a,b\nö,1\n", Layout(encoding="latin-1")).layout.encoding == "latin-1"


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ({"0": 1, "1": 1, "2": 1, "-9": 2, "-99": 2}, ("-99", "-9")),
        ({"0": 1, "1": 1, "2": 1, "-9": 1}, ()),
        ({"1.5": 1, "2.5": 1, "7": 1, "999.0": 3, "998": 2}, ("998", "999.0")),
        ({"1": 5, "2": 5, "3": 5, "9": 5}, ()),
        ({"100": 1, "200": 1, "700": 1, "999": 3}, ()),
        ({"a": 1, "1": 2, "2": 1, "-9": 5}, ()),
        ({"1": 1, "-9": 5}, ()),
    ],
)
def test_numbers_that_stand_for_a_missing_value(values, codes):
    assert missing_codes(values) == codes


def test_days_of_birth_are_not_yet_to_come(tmp_path):
    this_year = dt.datetime.now(tz=dt.UTC).year
    soon = f"31.12.{(this_year + 1) % 100:02}"
    for days, last in ((["01.02.99", "03.04.21"], 2068), (["01.02.99", soon], this_year)):
        writing = found(tmp_path, "born,b\n" + "".join(f"{day},x\n" for day in days))
        assert writing.layout.of("born").last_year == last
        assert f"taken for {last - 99} to {last} at the latest" in writing.why_dates["born"]
