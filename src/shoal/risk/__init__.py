"""What risk is left: how often an attacker is right, and which records stand out."""

from shoal.risk.attribute_disclosure import AttributeDisclosure, DisclosureBeforeAndAfter, attribute_disclosure
from shoal.risk.class_sizes import (
    Attacker,
    ClassSizeRisk,
    RiskBeforeAndAfter,
    class_size_risk,
    class_sizes,
    release_risk,
)
from shoal.risk.classed import ClassedNumbers
from shoal.risk.confident_k import ClassRule, confidence_radius, confident_suppression, in_reach
from shoal.risk.linking import Links, expected_links, links_found
from shoal.risk.presence import Presence, presence
from shoal.risk.special_uniques import Combination, SpecialUniques, special_uniques
from shoal.risk.uniqueness import Model, PopulationUniques, population_uniques

__all__ = [
    "Attacker",
    "AttributeDisclosure",
    "ClassRule",
    "ClassSizeRisk",
    "ClassedNumbers",
    "Combination",
    "DisclosureBeforeAndAfter",
    "Links",
    "Model",
    "PopulationUniques",
    "Presence",
    "RiskBeforeAndAfter",
    "SpecialUniques",
    "attribute_disclosure",
    "class_size_risk",
    "class_sizes",
    "confidence_radius",
    "confident_suppression",
    "expected_links",
    "in_reach",
    "links_found",
    "population_uniques",
    "presence",
    "release_risk",
    "special_uniques",
]
