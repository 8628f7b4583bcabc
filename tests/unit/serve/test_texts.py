"""Every language has every text, with the same blanks; and the page asks for no text that is not there."""

import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

import shoal.serve
from shoal.criteria import KAnonymity
from shoal.data.hierarchies.standards.catalog import catalog
from shoal.methods import DiffGen, KEpsilon, MicroaggregationDP, Mondrian, SafePub
from shoal.progress import silent
from shoal.serve.texts import LANGUAGES, Texts, words
from shoal.serve.work.checking import methods

HERE = Path(shoal.serve.__file__).parent


def blanks(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_text_with_its_blanks(language):
    assert list(words(language)) == list(words("en"))
    for key, text in words(language).items():
        assert text.strip(), key
        assert blanks(text) <= blanks(words("en")[key]) | {"unit"}, key


def test_the_page_asks_for_texts_that_are_there_and_none_is_idle():
    code = "\n".join(path.read_text(encoding="utf-8") for path in HERE.rglob("*.py"))
    asked = set(re.findall(r"""\bt\(\s*["']([^"'{}]+)["']""", code)) | set(
        re.findall(r'Texts\([^)]*\)\("([^"]+)"', code)
    )
    assert asked <= set(words("en"))
    assert asked
    quoted = set(re.findall(r'"([a-z][a-z -]+)"', code))
    prefixes = (
        "step ",
        "role ",
        "kind ",
        "need ",
        "by ",
        "fact ",
        "verdict ",
        "domain ",
        "groups ",
        "coding ",
        "param ",
        "database ",
        "delimiter ",
        "writing ",
        "stand-in ",
    )
    idle = [key for key in words("en") if key not in asked | quoted and not key.startswith(prefixes)]
    assert idle == []


def test_a_text_that_is_not_there_may_have_another():
    t = Texts("de")
    assert t("step data") == "Daten"
    assert t.get("no such key", "plain") == "plain"


def test_what_methods_say_of_themselves_is_there_in_every_language():
    found = methods(progress=silent)
    for language in LANGUAGES:
        t = Texts(language)
        for method in found.values():
            assert t.language_of(method["summary"]) is None, method["summary"]
            for one in method["fields"]:
                assert t.language_of(one["meaning"]) is None, one["meaning"]
                assert t.get(f"param {one['name']}", ""), one["name"]


def test_ready_made_hierarchies_are_there_in_every_language():
    for language in LANGUAGES:
        for entry in catalog().values():
            for text in (entry.title, *entry.levels):
                assert Texts(language).language_of(text) is None, text


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_no_translation_has_blanks_that_the_original_has_not(language):
    for english, other in tomllib.loads((HERE / "texts" / f"{language}_said.toml").read_text("utf-8")).items():
        names = set(re.findall(r"\{([a-z]+)\}", english))
        assert {name for name in re.findall(r"\{([a-z]+)\}", other) if "= {" not in english} <= names, english


def test_what_the_library_says_is_put_into_words_with_all_that_is_in_it():
    t = Texts("de")
    promise = KAnonymity(5).statement
    assert t.said(f"{promise} (verified)").startswith("5-anonym: jeder Datensatz")
    assert t.said(f"{promise} (verified)").endswith("mindestens 4 anderen (nachgeprüft)")
    assert t.language_of(f"{promise} (verified)") is None
    assert t.said("declared insensitive and published as they are: occupation").endswith(": occupation")
    assert t.said("something new") == "something new"
    assert (t.language_of("something new"), Texts("en").language_of("something new")) == ("en", None)


def test_what_private_methods_need_and_promise_is_put_into_words():
    t = Texts("de")
    some = [
        SafePub(epsilon=1, delta=1e-5),
        SafePub(epsilon=1, delta=1e-5, expected_records=100_000),
        DiffGen(epsilon=1, target="job"),
        MicroaggregationDP(epsilon=1, k=25),
        KEpsilon(epsilon=1, perturbed=("age",), anonymizer=Mondrian(k=5)),
    ]
    for method in some:
        assert t.language_of(method.needs) is None, method.needs
        for guarantee in method.guarantees():
            assert t.language_of(str(guarantee)) is None, guarantee
            assert t.said(guarantee.statement) != guarantee.statement
