"""Quality models by name: as they stand in a release file and in a certificate."""

from __future__ import annotations

from typing import Any

from shoal.plugins import Registry
from shoal.quality.base import QualityModel
from shoal.quality.cells import Granularity, Intensity, Loss, Precision
from shoal.quality.class_sizes import AverageClassSize, Discernibility, EquivalenceClassSize, GroupSize
from shoal.quality.classification import Classification
from shoal.quality.entropy import NonUniformEntropy
from shoal.quality.shannon import ShannonEntropy

_OWN: tuple[type[Any], ...] = (
    Loss,
    Granularity,
    Intensity,
    Precision,
    Discernibility,
    NonUniformEntropy,
    ShannonEntropy,
    GroupSize,
    AverageClassSize,
    EquivalenceClassSize,
    Classification,
)

QUALITY_MODELS = Registry("shoal.quality_models", "quality model", {kind.name: kind for kind in _OWN}, QualityModel)
