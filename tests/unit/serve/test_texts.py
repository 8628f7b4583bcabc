"""Every language has every text, with the same blanks; and the page asks for no text that is not there."""

import re
from pathlib import Path
from string import Formatter

import pytest

import shoal.serve
from shoal.serve.texts import LANGUAGES, Texts, words

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
    prefixes = ("step ", "role ", "kind ", "need ", "by ", "fact ", "verdict ", "domain ", "groups ", "coding ")
    idle = [key for key in words("en") if key not in asked | quoted and not key.startswith(prefixes)]
    assert idle == []


def test_a_text_that_is_not_there_may_have_another():
    t = Texts("de")
    assert t("step data") == "Daten"
    assert t.get("no such key", "plain") == "plain"
