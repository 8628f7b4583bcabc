"""What can be chosen about (k, ε)-anonymity, and what goes together."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from shoal.errors import ParameterError, listed
from shoal.methods.base import Method, Mode

if TYPE_CHECKING:
    from shoal.methods.k_epsilon.method import KEpsilon


class Several(Enum):
    """How several perturbed columns share the budget of a record (theory KE-3)."""

    SPLIT = "split"
    """Each gets an equal part: d columns, scale d · diam / ε."""
    VECTOR = "vector"
    """By the L1 diameter of the class, each column in units of its own: scale D1 · diam / ε, D1 <= d."""


def require_settings(method: KEpsilon) -> None:
    """Refuse parameters that no table could use."""
    if not method.perturbed:
        raise ParameterError(
            "perturbed is a list of the columns that get noise, one or more, such as ('height',); got "
            f"{method.perturbed!r}."
        )
    twice = [name for name in method.perturbed if list(method.perturbed).count(name) > 1]
    if twice:
        raise ParameterError(f"perturbed names {listed(set(twice))} twice; every column may stand in it once.")
    require_anonymizer(method.anonymizer)
    for name in ("bounds_share", "tail"):
        if not 0 <= getattr(method, name) < (1 if name == "bounds_share" else 0.5):
            raise ParameterError(
                f"{name} is a share of {'epsilon, below 1' if name == 'bounds_share' else 'a class, below 0.5'}; "
                f"got {getattr(method, name)!r}."
            )
    if method.confidence is not None and not 0 < method.confidence < 1:
        raise ParameterError(f"confidence is a probability between 0 and 1; got {method.confidence!r}.")
    if method.digits is not None and not 0 <= method.digits <= 6:
        raise ParameterError(f"digits is a whole number from 0 to 6; got {method.digits!r}.")
    _check_mode(method)


def _check_mode(method: KEpsilon) -> None:
    """What belongs to the other mode is refused rather than ignored."""
    published = {
        "confidence": method.confidence is not None,
        "several": method.several is not Several.SPLIT,
        "digits": method.digits is not None,
    }
    rigorous = {"bounds": bool(method.bounds), "bounds_share": method.bounds_share > 0}
    reasons = {
        "confidence": "it looks at the true values once more, which no budget pays for",
        "several": "public bounds are a box, whose diameter leaves nothing to save",
        "digits": "the noise is drawn on the declared grid",
        "bounds": "the published method takes the bounds of a class from its values",
        "bounds_share": "the published method takes the bounds of a class from its values",
    }
    is_published = method.mode is Mode.AS_PUBLISHED
    stray = [name for name, given in (rigorous if is_published else published).items() if given]
    if stray:
        other = Mode.RIGOROUS if is_published else Mode.AS_PUBLISHED
        raise ParameterError(f"{stray[0]} is for mode {other.value!r} only: {reasons[stray[0]]}.")
    unknown = [rule.column for rule in method.bounds if rule.column not in method.perturbed]
    if unknown:
        raise ParameterError(f"bounds are given for {listed(unknown)}, which is not in perturbed.")


def require_anonymizer(anonymizer: Method) -> None:
    """Refuse a method that leaves nobody company, or that is paid for by itself."""
    if not anonymizer.promises_k_anonymity or anonymizer.cost is not None:  # a k alone is not k-anonymity
        raise ParameterError(
            "anonymizer must be a method that promises k-anonymity, such as ola, mondrian, local-recoding or mdav; "
            f"got {anonymizer.name}."
        )
    k = getattr(anonymizer, "k", None)
    if type(k) is not int or k < 2:
        raise ParameterError(
            f"k of the anonymizer must be 2 or more; got {k!r}: a class of one record points at its person, however "
            "much noise there is."
        )
