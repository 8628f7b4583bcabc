"""plainly(): what a promise means to somebody who has never heard of k-anonymity, beside the sentence that states it.

The recipients' README has one such sentence for each promise. It says no more than the promise does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.dp.accounting.odds import odds
from shoal.dp.accounting.relation import Neighbors
from shoal.promises.guarantee import Basis, Guarantee

_MOST_NAMES = 6
"""Columns that a sentence names one by one."""

BASES = {
    Basis.PROVED: "it follows from how the table was made, by mathematics that anybody can read",
    Basis.VERIFIED: "it was counted on this very table, and you can count it again",
    Basis.CLAIMED: "whoever published the method, or the table, says so; these files do not show it",
    Basis.MEASURED: "nothing is bounded; the owner has measured what still shows",
}
"""What the word behind a promise says about it."""

_PLAIN = (
    (
        r"(\d+)-anonymous: every record",
        (
            "Each record is one of at least {0} that look exactly alike in {known}: whoever knows these of a "
            "person cannot tell which of them is theirs."
        ),
    ),
    (
        r"(\d+)-anonymous in (\w+): every record",
        (
            "Each record is among records of at least {0} {1} that look exactly alike in {known}: whoever knows "
            "these of one record of somebody cannot tell whose of them it is."
        ),
    ),
    (
        r"(\d+)-anonymous in (\w+), known by all",
        (
            "Even whoever knows {known} of all records of somebody finds at least {0} {1} that fit alike, and "
            "cannot tell which of them it is."
        ),
    ),
    (
        r"(\d+) or more different values of (.+?) in every class",
        "Whoever finds the group that a person is in still has at least {0} values of {1} to choose from.",
    ),
    (
        r"entropy of (.+?) at least log (\S+) in every class",
        "In every group the values of {0} are as hard to guess as a choice among {1} equally likely ones.",
    ),
    (
        r"recursive \((\S+), (\d+)\)-diversity of (.+?) in every class",
        (
            "In no group does one value of {2} outweigh the others: it has less than {0} times as many records "
            "as all values have together that are number {1} or later by their frequency."
        ),
    ),
    (
        r"no value of (.+?) has more than 1/(\S+) of any class",
        (
            "Whoever finds the group that a person is in, knows nothing else, and guesses {0} is right at most "
            "one time in {1}."
        ),
    ),
    (
        r"no more than 1/(\S+) of the (\w+) of any class have one value of (.+?) in it",
        ("Whoever finds the group that somebody is in, and guesses {2}, is right about at most one in {0} of its {1}."),
    ),
    (
        r"values of (.+?) in every class within distance (\S+) of the",
        (
            "What a group says about {0} differs from what the whole table says by at most {1}, where 0 is no "
            "difference and 1 the largest that there can be."
        ),
    ),
    (
        r"(\S+)-disclosure privacy of (.+?): no share",
        (
            "No value of {1} is e^{0} times as frequent in a group as in the whole table, or as many times as "
            "rare (e is 2.718...)."
        ),
    ),
    (
        r"enhanced (\S+)-likeness of (.+?): no share",
        (
            "The share of no value of {1} in a group is larger than in the whole table by more than {0} times "
            "what it is there."
        ),
    ),
    (
        (
            r"LKC-privacy: any (\d+) or fewer quasi-identifiers that are known of a person fit (at least \d+ "
            r"records|records of at least \d+ \w+)"
        ),
        (
            "Whoever knows at most {0} of the columns {known} of a person in this table finds {1} that fit. Who "
            "knows more may find fewer."
        ),
    ),
    (
        r"average risk of at most (\S+): whoever",
        (
            "Whoever looks for people by {known} picks the right record with a chance of {0} at most on average; "
            "of single people it may be more."
        ),
    ),
    (
        r"at most the share (\S+) of published (\w+) has a risk above (\S+) of",
        "At most the share {0} of the {1} can be found by {known} with a chance of more than {2}.",
    ),
    (
        r"at most the share (\S+) of published (\w+) is alone with its",
        "At most the share {0} of the {1} has nobody in this table who looks alike in {known}.",
    ),
    (
        r"at most the share (\S+) of published (\w+) is alone in the population",
        (
            "By estimate, at most the share {0} of the {1} has nobody in the whole population who looks alike in "
            "{known}."
        ),
    ),
    (
        r"(\d+)-map: ",
        (
            "Everybody here looks like at least {0} people of the population in {known}, whether these are in "
            "the table or not."
        ),
    ),
    (
        r"\((\S+), (\S+)\)-present: ",
        (
            "Whoever looks for a person of the population by {known} cannot be sure whether they are in this "
            "table: the chance is between {0} and {1}."
        ),
    ),
    (
        r"(\d+)-anonymous on the k-quasis; linking posterior <= (\S+)",
        (
            "By the columns without noise at least {0} records look alike. Whoever does what the paper supposes, "
            "and uses the noisy ones too, finds a person's record with a chance of {1} at most."
        ),
    ),
    (
        r"operator .* for a fixed scheme",
        (
            "How coarse the table became was decided by looking at it, and nothing is promised about what that "
            "tells. Had it been decided beforehand, what is published would hardly depend on any one person."
        ),
    ),
    (
        r"\((\d+),\S+\) syntactic",
        (
            "Each record shows what {0} people have in common. Whoever lays overlapping groups on top of each "
            "other may find out more."
        ),
    ),
    (
        r"(\d+) rows per person, sensitive posterior <= 1/(\S+) in",
        (
            "At least {0} rows fit a person, and whoever guesses what is sensitive, knowing nothing but {known}, "
            "is right at most one time in {1}."
        ),
    ),
    (
        r"records drawn from \(\d+,\S+\) syntactic sets",
        (
            "Records are drawn from what several people have in common: none is a person's. Whoever lays "
            "overlapping groups on top of each other may find out more."
        ),
    ),
    (
        r"drawn records, any number of which may fit a person; sensitive posterior <= 1/(\S+) in",
        (
            "Records are drawn, and none is a person's. Whoever guesses what is sensitive, knowing nothing but "
            "{known}, is right at most one time in {0}."
        ),
    ),
    (
        r"each record covers (\d+) people with",
        ("Each record shows what {0} people have in common, with the sensitive value of one of them, drawn at random."),
    ),
    (
        r"nothing formal about (.+?): ",
        (
            "Nothing is promised about {0}: chance has changed values, and what they still tell of a person is "
            "not bounded."
        ),
    ),
)


def plainly(guarantee: Guarantee, known: Sequence[str]) -> str:
    """What a promise means, where others may know the columns `known`; nothing if there are no words for it."""
    cost = guarantee.cost
    if cost is not None:
        whom = "a person" if guarantee.unit.value == "record" else f"a {guarantee.unit.value}"
        what = {
            Neighbors.ADD_REMOVE: f"that {whom} takes part",
            Neighbors.REPLACE: f"what the record of {whom} says",
            Neighbors.ATTRIBUTES: f"what {whom} has in {_listed(sorted(cost.protected))}",
        }[cost.neighbors]
        return odds(float(cost.epsilon), float(cost.delta), what)
    for pattern, sentence in _PLAIN:
        if found := re.match(pattern, guarantee.statement):
            return sentence.format(*found.groups(), known=_listed(known))
    return ""


def _listed(names: Sequence[str]) -> str:
    if not names or len(names) > _MOST_NAMES:
        return "the quasi-identifiers"
    names = [name if name.isprintable() else repr(name) for name in names]
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]
