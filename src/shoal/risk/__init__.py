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
from shoal.risk.household_risk import HouseholdRisk, household_risk, release_household_risk
from shoal.risk.linking import Links, expected_links, links_found
from shoal.risk.population import (
    PopulationRisk,
    PopulationRiskBeforeAndAfter,
    population_risk,
    release_population_risk,
    release_risk_in_population,
)
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
    "HouseholdRisk",
    "Links",
    "Model",
    "PopulationRisk",
    "PopulationRiskBeforeAndAfter",
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
    "household_risk",
    "in_reach",
    "links_found",
    "population_risk",
    "population_uniques",
    "presence",
    "release_household_risk",
    "release_population_risk",
    "release_risk",
    "release_risk_in_population",
    "special_uniques",
]
