"""Messages are sentences that somebody reads: names in them are cut where they are long, and nothing else is."""

import pickle

from shoal.errors import ParameterError, agreeing, brief


def test_a_long_name_is_cut_in_its_middle_and_the_sentence_stays():
    name = "a" * 40 + "b" * 3000 + "c" * 20
    short = brief(f"release.toml: {name!r} is not known here; expected 'k' or 'epsilon'.")
    assert short.startswith("release.toml: 'aaaa")
    assert short.endswith("cccc' is not known here; expected 'k' or 'epsilon'.")
    assert len(short) < 200
    assert brief(short) == short


def test_words_between_two_short_names_or_apostrophes_are_not_a_name():
    for sentence in (
        (
            "dates are written as '%Y-%m-%d%', which is no way to write a day; expected each of day, month and year "
            "once, such as '%d.%m.%Y' for 31.12.2024."
        ),
        (
            "the table's persons are counted, and nobody's records are more than those of another; the owner's word "
            "counts for the custodian's."
        ),
    ):
        assert brief(sentence) == sentence


def test_a_number_without_end_is_cut():
    assert len(brief(f"from is a number of at most 18 digits; got 1{'0' * 400}.")) < 150


def test_a_file_name_without_end_is_cut():
    assert brief(f"/some/folder/{'x' * 3000} cannot be read.").endswith("xx cannot be read.")
    assert len(brief(f"/some/folder/{'x' * 3000} cannot be read.")) < 200


def test_a_line_without_end_is_cut_and_others_stay():
    assert brief(f"one\n{'x' * 5000}\nthree").split("\n")[::2] == ["one", "three"]
    assert len(brief("x " * 2500)) == 1000


def test_a_message_is_the_same_after_a_journey():
    error = ParameterError(f"{'x' * 500!r} is not known.")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(ParameterError()) == ""


def test_a_verb_agrees_with_how_many_there_are():
    assert agreeing(["a"], "is", "are") == "'a' is"
    assert agreeing(["a", "b"], "is", "are") == "'a', 'b' are"
