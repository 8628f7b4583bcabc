"""Criteria: which classes may be published.

Two facts about a criterion let a search skip what it need not look at. Nearly all of ours *survive merging*: a class
joined from two admissible ones is admissible; those that count persons once for each value do not. Some also *survive
growth*: a class that holds an admissible one is admissible, whatever else it holds; then a record that can be published
stays publishable as recoding gets coarser.
"""

from shoal.criteria.base import Criterion
from shoal.criteria.closeness import Closeness, Distance
from shoal.criteria.disclosure import Disclosure, Likeness
from shoal.criteria.diversity import DistinctDiversity, EntropyDiversity, FrequencyDiversity, RecursiveDiversity
from shoal.criteria.k_anonymity import KAnonymity, are_class_sizes
from shoal.criteria.lkc import LKCPrivacy
from shoal.criteria.population import KMap, PopulationUniqueness, Presence
from shoal.criteria.reference import Comparison, Reference
from shoal.criteria.risk import AverageRisk, RecordsAtRisk, SampleUniqueness
from shoal.criteria.sequence_anonymity import SequenceAnonymity
from shoal.criteria.suppression import Suppression, violations

__all__ = [
    "AverageRisk",
    "Closeness",
    "Comparison",
    "Criterion",
    "Disclosure",
    "Distance",
    "DistinctDiversity",
    "EntropyDiversity",
    "FrequencyDiversity",
    "KAnonymity",
    "KMap",
    "LKCPrivacy",
    "Likeness",
    "PopulationUniqueness",
    "Presence",
    "RecordsAtRisk",
    "RecursiveDiversity",
    "Reference",
    "SampleUniqueness",
    "SequenceAnonymity",
    "Suppression",
    "are_class_sizes",
    "violations",
]
