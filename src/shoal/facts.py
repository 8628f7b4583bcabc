"""What a release cost, computed from the original when its owner asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.data.hierarchies.wording import became
from shoal.data.outcome import Outcome
from shoal.data.unit import Unit
from shoal.quality import QualityModel
from shoal.quality.registry import QUALITY_MODELS
from shoal.risk.class_sizes import class_members, class_sizes, released_persons


@dataclass(frozen=True, slots=True, eq=False)
class OwnerFacts:
    """What the release cost, computed from the original: for the owner's eyes only.

    Attributes:
        records: Records of the original.
        suppressed: Records that were left out.
        losses: What was lost, by the name of each quality model.
        optimized: The quality model the method worked for, if it works for one.
        class_sizes: How many published classes there are of each size, in persons where these are counted.
        columns: Per published column: name, role, how it was recoded, distinct values before and after.
        search: How the recoding was found.
        failure: What went wrong, if the run failed and therefore published nothing.
        unit: Whom classes are counted in.
        people: How many of them the original has, if they are not its records.
    """

    records: int
    suppressed: int
    losses: Mapping[str, float]
    optimized: str | None
    class_sizes: Mapping[int, int]
    columns: tuple[Mapping[str, Any], ...]
    search: Mapping[str, object] = field(default_factory=dict)
    failure: str = ""
    unit: Unit = Unit.RECORD
    people: int | None = None


def owner_facts(outcome: Outcome, quality: QualityModel | None, failure: str = "") -> OwnerFacts:
    """What a release cost, by what was decided and the quality model that it was made for."""
    table = outcome.table
    columns = [
        {
            "name": attribute.name,
            "role": attribute.role.value,
            "recoding": became(attribute, outcome),
            "before": int((table.marginal(attribute.name) > 0).sum()),
            "after": len(outcome.published.project([attribute.name])),
        }
        for attribute in table.attributes
    ]
    quasi = [attribute.name for attribute in table.quasi_identifiers]
    who = released_persons(outcome)
    if who is None:
        counted = class_sizes(outcome.published, quasi)
    else:
        counted = class_members(outcome.published, quasi, who, whole=table.is_linked).entries
    sizes = Counter(counted.tolist())
    return OwnerFacts(
        records=table.total,
        suppressed=max(table.total - outcome.published.kept, 0),
        losses=_losses(quality, outcome),
        optimized=None if quality is None else QUALITY_MODELS.name_of(quality),
        class_sizes=dict(sorted(sizes.items())),
        columns=tuple(columns),
        search=outcome.search,
        failure=failure,
        unit=Unit.RECORD if who is None else who.unit,
        people=None if table.persons is None else table.people,
    )


def _losses(quality: QualityModel | None, outcome: Outcome) -> dict[str, float]:
    """What every quality model says, and what the method has measured itself."""
    losses = dict(outcome.losses)
    if outcome.classes is None or outcome.suppressed is None:
        return losses
    models = {name: kind() for name, kind in QUALITY_MODELS.own.items() if name != "classification"}
    if quality is not None and (name := QUALITY_MODELS.name_of(quality)) in QUALITY_MODELS:
        models[name] = quality
    for name, model in models.items():
        losses[name] = float(model.on(outcome.table).loss(outcome.classes, outcome.suppressed))
    return losses
