"""Quality models: what a recoding costs. `loss` runs from 0 (nothing lost) to 1; `score` rises with quality."""

from shoal.quality.base import BoundedByClasses, BoundedByColumns, Change, Objective, PricedByRecords, QualityModel
from shoal.quality.cells import CellModel, Granularity, Intensity, Loss, Precision
from shoal.quality.class_sizes import AverageClassSize, Discernibility, EquivalenceClassSize, GroupSize
from shoal.quality.classification import Classification
from shoal.quality.entropy import NonUniformEntropy
from shoal.quality.shannon import ShannonEntropy

__all__ = [
    "AverageClassSize",
    "BoundedByClasses",
    "BoundedByColumns",
    "CellModel",
    "Change",
    "Classification",
    "Discernibility",
    "EquivalenceClassSize",
    "Granularity",
    "GroupSize",
    "Intensity",
    "Loss",
    "NonUniformEntropy",
    "Objective",
    "Precision",
    "PricedByRecords",
    "QualityModel",
    "ShannonEntropy",
]
