"""The best whole numbers under linear conditions: HiGHS, asked directly.

SciPy carries the same solver and is ten times its size; nothing else of it is needed to make a release.
"""

# mypy: disallow-untyped-calls=False

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Keys


class Conditions(NamedTuple):
    """Weighted sums of unknown numbers, each with what it must not be below and not above.

    Attributes:
        row: Of each weight, the sum it belongs to.
        column: The unknown number that it is a weight of.
        weight: The weights; none stands twice.
        low: The least value of each sum.
        high: The greatest.
    """

    row: Keys
    column: Keys
    weight: Floats
    low: Floats
    high: Floats


class Solution(NamedTuple):
    """Whole numbers that meet all conditions.

    Attributes:
        numbers: The numbers.
        is_best: Whether it is proved that none cost less.
    """

    numbers: Floats
    is_best: bool


def cheapest(costs: Floats, most: Floats, conditions: Conditions, *, most_nodes: int | None = None) -> Solution | None:
    """Whole numbers from 0 to `most` that meet the conditions and cost least in all; None if none were found.

    Args:
        costs: What one of each costs.
        most: The greatest value of each number.
        conditions: What sums of them must be.
        most_nodes: After so many branches the solver gives up, with what it has.
    """
    import highspy

    order = np.lexsort((conditions.row, conditions.column))
    of_column = np.bincount(conditions.column, minlength=len(costs))
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(costs), len(conditions.low)
    program.col_cost_ = np.asarray(costs, dtype=np.float64)
    program.col_lower_, program.col_upper_ = np.zeros(len(costs)), np.asarray(most, dtype=np.float64)
    program.row_lower_ = np.asarray(conditions.low, dtype=np.float64)
    program.row_upper_ = np.asarray(conditions.high, dtype=np.float64)
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = np.concatenate([[0], np.cumsum(of_column)]).astype(np.int32)
    program.a_matrix_.index_ = conditions.row[order].astype(np.int32)
    program.a_matrix_.value_ = conditions.weight[order].astype(np.float64)
    program.integrality_ = [highspy.HighsVarType.kInteger] * len(costs)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    if most_nodes is not None:
        solver.setOptionValue("mip_max_nodes", most_nodes)
    solver.passModel(program)
    solver.run()
    if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None
    numbers = np.rint(np.asarray(solver.getSolution().col_value))
    return Solution(numbers, is_best=solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)
