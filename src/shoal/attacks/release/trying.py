"""All attacks that fit a release, one after the other; those that do not fit say why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from shoal.attacks import (
    Composition,
    EmpiricalEpsilon,
    Found,
    Inference,
    Linkage,
    Membership,
    PersonLinkage,
    overlap,
)
from shoal.attacks.release.opening import Attacked
from shoal.data.encoded import EncodedTable
from shoal.dp.coins.coins import secure_coins
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import ParameterError, ShoalError
from shoal.methods.parts.pricing import priced
from shoal.parameters import Seed, read_parameters
from shoal.pipeline import as_given
from shoal.progress import Progress, silent

_SOLVED = 20
"""So many people are solved for where a table is too large to be solved as a whole: each takes a second or so."""
_MOST_COMPOSED = 200
"""So many people are enough for an attack that compares each with everybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How hard attacks try.

    Attributes:
        known: The share of what others may know that an attacker knows, who is tried beside one who knows all of it.
        targets: How many people are tried.
        seed: Decides who, and what is known.
        learner: The classifier that is trained on the release; naive Bayes if not given and scikit-learn is there.
        seconds: How long the method may be run again and again; 0: not at all.
    """

    known: float = 0.5
    targets: int = 500
    seed: Seed = 0
    learner: str | None = None
    seconds: float = 20.0

    def __post_init__(self) -> None:
        read_parameters(self)
        Linkage(targets=self.targets)
        Inference(column="", learner=self.learner)
        if not 0 < self.known <= 1:
            raise ParameterError(
                f"known is the share of columns an attacker knows, above 0, at most 1; got {self.known!r}."
            )
        if self.seconds < 0:
            raise ParameterError(f"seconds must be 0 or more; got {self.seconds!r}.")

    @property
    def shares(self) -> tuple[float, ...]:
        """Who knows everything comes first."""
        return (1.0,) if self.known == 1 else (1.0, self.known)

    @property
    def learns_by(self) -> str:
        """The classifier."""
        return self.learner or ("naive-bayes" if find_spec("sklearn") else "c4.5")


@dataclass(frozen=True, slots=True)
class Tried:
    """One attack: what it found, or why it was not tried.

    Attributes:
        attack: What it is called.
        found: What it found, or None.
        why_not: Why there is nothing, else empty.
    """

    attack: str
    found: Found | None = None
    why_not: str = ""

    def __str__(self) -> str:
        return f"Not tried: {self.attack}. {self.why_not}" if self.found is None else str(self.found)


def try_all(
    attacked: Attacked,
    options: Options,
    *,
    control: EncodedTable | None = None,
    also: Attacked | None = None,
    progress: Progress = silent,
) -> list[Tried]:
    """Try everything; looks at the original, so it is for its owner only.

    Args:
        attacked: The release.
        options: How hard to try.
        control: People who are not in the original, in its codes.
        also: Another release of the same people.
        progress: Told which attack is being tried.
    """
    plans: list[Callable[[], Iterable[Tried]]] = [
        lambda: _linkage(attacked, options),
        lambda: _inference(attacked, options, control),
        lambda: _overlap(attacked),
        lambda: _membership(attacked, options, control),
        lambda: _epsilon(attacked, options),
        lambda: _composition(attacked, options, also),
    ]
    tried: list[Tried] = []
    for number, attempt in enumerate(plans):
        progress("attacking", number / len(plans))
        tried += attempt()
    progress("attacking", 1.0)
    return tried


def _attempt(attack: str, attempt: Callable[[], Found]) -> Tried:
    """What an attack finds; one that cannot be tried on this release says why."""
    try:
        return Tried(attack, attempt())
    except ShoalError as error:
        sentence = str(error)
        return Tried(attack, why_not=sentence[:1].upper() + sentence[1:])


def _linkage(attacked: Attacked, options: Options) -> Iterator[Tried]:
    if attacked.outcome.is_made_up:
        yield Tried("linkage", why_not="The records are made up: none of them is anybody's, so there is none to find.")
        return
    for share in options.shares:
        attack = Linkage(known=share, targets=options.targets, seed=options.seed, columns=attacked.known)
        yield _attempt("linkage", lambda attack=attack: attack.on(attacked.outcome))  # type: ignore[misc]
    if attacked.plan.schema.pseudonym:
        yield Tried(
            "linkage of persons",
            why_not="Pseudonyms say which records belong together, and every person shares all of theirs with k − 1 "
            "others or more: whoever knows them all is right in one of k cases at most, which `shoal check` counts.",
        )
    elif attacked.outcome.table.persons is not None:
        persons = PersonLinkage(targets=options.targets, seed=options.seed, columns=attacked.known)
        yield _attempt("linkage of persons", lambda: persons.on(attacked.outcome))


def _inference(attacked: Attacked, options: Options, control: EncodedTable | None) -> Iterator[Tried]:
    if not attacked.secrets:
        yield Tried("inference", why_not="No published column is sensitive, so there is nothing to infer.")
    for column in attacked.secrets:
        for learner in (None, options.learns_by):
            for share in options.shares:
                attack = Inference(
                    column=column,
                    known=share,
                    targets=options.targets,
                    seed=options.seed,
                    columns=attacked.known,
                    learner=learner,
                )
                yield _attempt("inference", lambda attack=attack: attack.on(attacked.outcome, control))  # type: ignore[misc]


def _overlap(attacked: Attacked) -> Iterator[Tried]:
    if not attacked.has_overlaps:
        yield Tried(
            "overlap",
            why_not="No published record tells the distribution of a set of people that shares members with others.",
        )
        return
    yield from (Tried("overlap", found) for found in overlap(attacked.outcome, people=_SOLVED))


def _membership(attacked: Attacked, options: Options, control: EncodedTable | None) -> Iterator[Tried]:
    if control is None:
        yield Tried(
            "membership", why_not="It needs people who are not in the table; name a file of such with --control."
        )
        return
    attack = Membership(targets=options.targets, seed=options.seed)
    yield _attempt("membership", lambda: attack.on(attacked.outcome, control))


def _epsilon(attacked: Attacked, options: Options) -> Iterator[Tried]:
    method = priced(attacked.plan.schema, attacked.plan.method).inner
    if method.cost is None:
        yield Tried(
            "epsilon", why_not="The release does not promise differential privacy, so there is no epsilon to test."
        )
        return
    if options.seconds == 0:
        yield Tried("epsilon", why_not="It runs the method again and again, and --seconds 0 gives it no time.")
        return
    cost, attack = method.cost, EmpiricalEpsilon(seconds=options.seconds, seed=options.seed)
    given = as_given(attacked.outcome.table, attacked.plan.schema, method, secure_coins())  # one of each person
    yield _attempt(
        "epsilon",
        lambda: attack.on(
            given, lambda table, coins: method.run(table, ledger=Ledger(limit=cost), coins=coins, progress=silent), cost
        ),
    )


def _composition(attacked: Attacked, options: Options, also: Attacked | None) -> Iterator[Tried]:
    if also is None:
        yield Tried("composition", why_not="It needs another release of the same people; name its folder with --also.")
        return
    known = tuple(name for name in attacked.known if name in also.known)
    secrets = tuple(name for name in attacked.secrets if name in also.secrets and name not in known)
    outcomes = attacked.outcome, also.outcome
    people = attacked.rows((*known, *secrets)), also.rows((*known, *secrets))
    attack = Composition(columns=known, targets=min(options.targets, _MOST_COMPOSED), seed=options.seed)
    yield _attempt("composition", lambda: attack.on(outcomes, people))
    for column in secrets:
        yield _attempt("composition", lambda column=column: attack.values(outcomes, people, column))  # type: ignore[misc]
