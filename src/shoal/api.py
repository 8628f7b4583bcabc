"""The public API: what this module lists can be asked of `shoal` itself; everything else is private."""

from shoal.criteria import (
    Closeness,
    Criterion,
    Disclosure,
    Distance,
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    KAnonymity,
    Likeness,
    LKCPrivacy,
    RecursiveDiversity,
    Reference,
)
from shoal.data.domain import Categorical, Dates, Grid
from shoal.data.hierarchies.build import Balanced, DateLevels, Flat, Intervals
from shoal.data.hierarchies.files import from_csv, from_edges
from shoal.data.hierarchies.paths import Nested, Paths, Prefixes, tree_paths
from shoal.data.hierarchies.standards.standard import Standard
from shoal.data.schema import Column, Role, Schema
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.engines.memory import memory_limit
from shoal.errors import (
    BudgetError,
    DataError,
    HierarchyError,
    InfeasibleError,
    LargeTableWarning,
    NoLedgerWarning,
    OutputError,
    ParameterError,
    PlanError,
    SchemaError,
    ShoalError,
    SmallBudgetWarning,
)
from shoal.ledger import Ledger, set_ledger
from shoal.methods import (
    MDAV,
    NHAA,
    OLA,
    PAIS,
    PRAM,
    TDS,
    CellSuppression,
    DiffGen,
    KEpsilon,
    LocalRecoding,
    Marginals,
    Method,
    MicroaggregationDP,
    Mode,
    Mondrian,
    Noise,
    NSVDist,
    OptimalLattice,
    Publish,
    RankSwapping,
    SafePub,
    Sequential,
)
from shoal.plan.advising import Advice, advise
from shoal.promises.certificate import Certificate
from shoal.promises.guarantee import Basis, Guarantee
from shoal.quality import (
    AverageClassSize,
    Classification,
    Discernibility,
    EquivalenceClassSize,
    Granularity,
    GroupSize,
    Intensity,
    Loss,
    NonUniformEntropy,
    Precision,
    QualityModel,
    ShannonEntropy,
)
from shoal.release import Release
from shoal.risk import ClassRule
from shoal.survey.measuring import Measures, SensitiveMeasure, measure

__all__ = [
    "MDAV",
    "NHAA",
    "OLA",
    "PAIS",
    "PRAM",
    "TDS",
    "Advice",
    "AverageClassSize",
    "Basis",
    "BudgetError",
    "Categorical",
    "CellSuppression",
    "Certificate",
    "ClassRule",
    "Classification",
    "Closeness",
    "Column",
    "Criterion",
    "DataError",
    "Dates",
    "DiffGen",
    "Discernibility",
    "Disclosure",
    "Distance",
    "DistinctDiversity",
    "EntropyDiversity",
    "EquivalenceClassSize",
    "FrequencyDiversity",
    "Granularity",
    "Grid",
    "GroupSize",
    "Guarantee",
    "HierarchyError",
    "InfeasibleError",
    "Intensity",
    "KAnonymity",
    "KEpsilon",
    "LKCPrivacy",
    "LargeTableWarning",
    "Ledger",
    "Likeness",
    "LocalRecoding",
    "Loss",
    "Marginals",
    "Measures",
    "Method",
    "MicroaggregationDP",
    "Mode",
    "Mondrian",
    "NSVDist",
    "Neighbors",
    "NoLedgerWarning",
    "Noise",
    "NonUniformEntropy",
    "OptimalLattice",
    "OutputError",
    "ParameterError",
    "PlanError",
    "Precision",
    "PrivacyCost",
    "Publish",
    "QualityModel",
    "RankSwapping",
    "RecursiveDiversity",
    "Reference",
    "Release",
    "Role",
    "SafePub",
    "Schema",
    "SchemaError",
    "SensitiveMeasure",
    "Sequential",
    "ShannonEntropy",
    "ShoalError",
    "SmallBudgetWarning",
    "Standard",
    "advise",
    "balanced",
    "dates",
    "flat",
    "from_csv",
    "from_edges",
    "intervals",
    "measure",
    "memory_limit",
    "ordering",
    "prefixes",
    "set_ledger",
    "standard",
    "tree",
]


def intervals(*widths: float, origin: float = 0) -> Intervals:
    """Numbers become intervals, each width a multiple of the one before: `intervals(5, 10, 20)`."""
    return Intervals(widths, origin)  # type: ignore[arg-type]  # read as the decimals they show


def prefixes(*keep: int) -> Prefixes:
    """Codes lose their last characters: `prefixes(4, 3, 2)`, or one after the other: `prefixes()`."""
    return Prefixes(keep)


def dates(*units: str) -> DateLevels:
    """Days become months, quarters, years, decades: `dates("month", "year")`, or all four: `dates()`."""
    return DateLevels(units or DateLevels().units)


def ordering(*values: str, fanout: int = 2) -> Balanced:
    """Named values in their order, neighbors joined `fanout` at a time: `ordering("low", "middle", "high")`."""
    return Balanced(values, fanout)


def balanced(fanout: int = 5) -> Balanced:
    """Sorted values joined `fanout` at a time (the automatic tree of NSVDist §5.2)."""
    return Balanced(fanout=fanout)


def tree(nested: Nested) -> Paths:
    """A nested tree: `tree({"any": {"worked": ["private", "state"], "never worked": []}})`."""
    return tree_paths(nested)


def flat() -> Flat:
    """A value is kept or hidden."""
    return Flat()


def standard(name: str, *, level: str | None = None, dots: bool = True) -> Standard:
    """A public hierarchy that ships with Shoal: `standard("icd10cm")`, `standard("nace2", level="division")`.

    Example:
        >>> import shoal
        >>> shoal.standard("us-state").leaves().values[:3]
        ('CT', 'ME', 'MA')
    """
    return Standard(name, level, dots)
