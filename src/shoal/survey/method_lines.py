"""The [method] of a release file to correct: what is proposed for a table, and why."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.data.schema import Role
from shoal.survey.looks import Look, Survey
from shoal.survey.toml_text import comment, text

_K = 5
_DIVERSITY = 2.0
_MANY_QUASI_IDENTIFIERS = 8

_WHY = "each record keeps the detail that its group allows, in ranges and sets of values; nothing is left out"
_NAME = f'name = "mondrian"{comment(_WHY)}'
"""Of the methods that keep detail the one that lost least on nearly all tables of experiments/newcomer."""
_INSTEAD = (
    '# If recipients must find the values of the hierarchies and no others: name = "local-recoding".',
    "# If every value must be recoded alike in all records, so that a column can be counted by its groups or joined",
    '# with other tables: name = "optimal-lattice", suppression_limit = 0.05. That costs far more detail.',
)


def method_lines(survey: Survey) -> str:
    """A method that keeps detail, with k, diversity where the table has it to spare, and what else to choose."""
    quasi = [look for look in survey.columns if look.role is Role.QUASI_IDENTIFIER]
    lines = ["[method]", _NAME]
    lines.append(f"k = {_K}{comment(f'nobody can be told from at least {_K - 1} others by the quasi-identifiers')}")
    lines += _diversity([look for look in survey.columns if look.role is Role.SENSITIVE])
    lines += _INSTEAD
    if not quasi:
        lines.append(
            "# No column was taken for a quasi-identifier, and a release needs one at least: correct the roles."
        )
    if len(quasi) > _MANY_QUASI_IDENTIFIERS:
        lines.append(
            f"# {len(quasi)} quasi-identifiers leave little detail in each: give those that nobody outside can know "
            "another role."
        )
    if survey.records < _K:
        lines.append(f"# The table has fewer than {_K} records: k cannot be reached.")
    return "\n".join(lines) + "\n"


def _diversity(sensitive: Sequence[Look]) -> list[str]:
    """Diversity of the sensitive columns that have it to spare in the whole table, and why not of others."""
    if not sensitive:
        return []
    line = f"diversity = {_DIVERSITY}"
    what = f"no sensitive value may have more than 1/{_DIVERSITY:g} of any group"
    spare = [look for look in sensitive if look.largest_share <= 1 / (_DIVERSITY + 1)]
    if len(spare) == len(sensitive):
        return [f"{line}{comment(what)}"]
    if not spare:
        return [f"# {line}{comment(f'{what}; left out, for one value is too frequent in the whole table already')}"]
    others = ", ".join(look.name for look in sensitive if look not in spare)
    asked = [
        f'  {{ name = "frequency-diversity", diversity = {_DIVERSITY}, column = {text(look.name)} }},' for look in spare
    ]
    why = f"{what} of these columns; not of {others}, where one value is too frequent in the whole table already"
    return [f"criteria = [{comment(why)}", *asked, "]"]
