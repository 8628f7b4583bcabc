"""The figures of one release: what it cost, what risk is left, what it is good for."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.attacks import Linkage
from shoal.compare.grid import Trial
from shoal.data.outcome import Outcome
from shoal.data.schema import Role
from shoal.errors import ShoalError
from shoal.methods.parts.declared import may_look
from shoal.pages.report.assessment import assess
from shoal.pipeline import publish
from shoal.plan.method import parse_method
from shoal.plan.plan import Plan
from shoal.risk import release_risk

Figures = dict[str, Any]
"""One row of a comparison: plain numbers and texts, None where there is nothing to measure."""


def figures(plan: Plan, trial: Trial, target: str | None, learner: str) -> Figures:
    """Make a release and measure it; one that cannot be made says why.

    Nothing is published and no budget is charged: whoever sees the figures sees the original, as the owner may. So one
    record for each person is supposed, where a release would have to be told.
    """
    row: Figures = {"method": trial.method, **{k: _plain(v) for k, v in trial.parameters.items() if k != "name"}}
    if trial.problem:
        return {**row, "problem": trial.problem}
    started = time.perf_counter()
    try:
        method = parse_method(trial.parameters, plan.schema, trial.method)
        release = publish(plan.with_method(method).supposing_one_record_each(), one_record_each=may_look(method))
    except ShoalError as error:
        return {**row, "problem": str(error)}
    row["seconds"] = time.perf_counter() - started
    outcome = release.outcome
    predicted = target or release.target
    assessment = assess(outcome, predicted, (learner,) if predicted else ())
    row |= {
        "promise": "; ".join(release.certificate.promised),
        "private": not may_look(method),
        "records": release.certificate.records,
        "left_out": release.facts.suppressed / max(release.facts.records, 1),
        "query_error": None if assessment.queries is None else assessment.queries.mean,
        "query_error_median": None if assessment.queries is None else assessment.queries.median,
        "moved": sum(m.total_variation for m in assessment.marginals) / max(len(assessment.marginals), 1),
        "numbers_moved": _mean([m.wasserstein for m in assessment.marginals if m.wasserstein is not None]),
        "information_kept": None if assessment.dependence is None else assessment.dependence.information_kept,
    }
    row |= {f"loss_{name}": value for name, value in release.facts.losses.items()}
    row |= _risk_left(outcome, release.facts.losses)
    if assessment.population is not None:
        row |= {
            "individual_risk": assessment.population.after.individual.average,
            "individual_risk_highest": assessment.population.after.individual.highest,
            "population_uniques": assessment.population.after.uniques,
        }
    if assessment.households is not None:
        row |= {"household_risk_at_most": assessment.households.average()[2]}
    for name, accuracy in assessment.accuracies.items():
        row |= {
            "predicted": predicted,
            "learner": name,
            "accuracy": accuracy.release,
            "accuracy_original": accuracy.original,
            "accuracy_trivial": accuracy.trivial,
            "accuracy_relative": accuracy.relative,
            "auc": accuracy.auc,
            "auc_original": accuracy.auc_original,
        }
    return row


def _risk_left(outcome: Outcome, losses: Mapping[str, float]) -> Figures:
    """Classes of records that look alike, and how often the record of a person is found.

    Columns that chance has changed are in no class. What was measured of each of them counts if it is more; where one
    was not measured, or several are known at once, what is found is the least of it. Records that are made up are
    nobody's: there is none to find.
    """
    row: Figures = {}
    changed = [attribute.name for attribute in outcome.table.attributes if attribute.role is Role.PERTURBED]
    measured = [losses.get(f"linking risk, fair ({name})", losses.get(f"linking risk ({name})")) for name in changed]
    known = [value for value in measured if value is not None]
    if outcome.table.quasi_identifiers and outcome.published.kept:
        both = release_risk(outcome)
        row |= {"counted": both.after.unit.plural}
        row |= {} if changed else {"class_risk_original": both.before.prosecutor.average}
        if outcome.is_made_up:
            return row | {"made_up": True}
        linkage = Linkage().on(outcome)
        row |= {
            "smallest_class": both.after.smallest,
            "class_risk": both.after.prosecutor.average,
            "linked": linkage.success.value,
            "linked_low": linkage.success.low,
            "linked_high": linkage.success.high,
            "linked_is_bound": linkage.is_bound,
        }
    if known and max(known) > row.get("linked", -1.0):
        row |= {"linked": max(known), "linked_low": None, "linked_high": None, "linked_is_bound": False}
    if changed and "linked" in row:
        row |= {"linked_is_measured": bool(known), "linked_is_least": len(changed) > 1 or not known}
    return row


def baseline(rows: Sequence[Figures]) -> Figures:
    """The original beside its releases, as far as they tell: nothing is lost, and whoever knows people finds them."""
    done = [row for row in rows if "problem" not in row]
    told: Figures = {"query_error": 0.0, "moved": 0.0, "numbers_moved": 0.0, "left_out": 0.0} if done else {}
    for key, of_original in (
        ("class_risk", "class_risk_original"),
        ("linked", "class_risk_original"),
        ("accuracy", "accuracy_original"),
        ("auc", "auc_original"),
    ):
        values = [row[of_original] for row in done if row.get(of_original) is not None]
        told |= {key: values[0]} if values else {}
    return told


def about_found(rows: Sequence[Figures], labels: Sequence[str]) -> list[str]:
    """Where the share of people found is not that of somebody who knows all quasi-identifiers, and what it is."""
    ways = {
        "made_up": "records are made up and nobody's, so that there is none to find",
        "linked_is_least": "people found are the least: not all columns that chance has changed are known to who looks",
        "linked_is_measured": "people found are measured, by the nearest value of the column that chance has changed",
    }
    told: dict[str, list[str]] = {}
    for row, label in zip(rows, labels, strict=True):
        way = next((way for way in ways if row.get(way)), None)
        if way is not None:
            told.setdefault(way, []).append(label)
    return [f"{', '.join(told[way])}: {words}" for way, words in ways.items() if way in told]


def default_target(plan: Plan) -> str | None:
    """The column to predict when nobody says one: a single sensitive column."""
    sensitive = plan.schema.names(Role.SENSITIVE)
    return sensitive[0] if len(sensitive) == 1 else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool) or value is None else str(value)
