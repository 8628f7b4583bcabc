"""What an attacker would try, each with its baseline and an interval, in one sentence."""

from shoal.attacks.composition import Composition, CompositionFound, ValuesFound
from shoal.attacks.empirical_epsilon import EmpiricalEpsilon, EpsilonFound
from shoal.attacks.found import Found
from shoal.attacks.inference import Inference, InferenceFound
from shoal.attacks.interval import Difference, Rate
from shoal.attacks.linkage import Linkage, LinkageFound
from shoal.attacks.membership import Membership, MembershipFound
from shoal.attacks.nearest import Nearest
from shoal.attacks.overlap import OverlapFound, overlap
from shoal.attacks.person_linkage import PersonLinkage, PersonLinkageFound

__all__ = [
    "Composition",
    "CompositionFound",
    "Difference",
    "EmpiricalEpsilon",
    "EpsilonFound",
    "Found",
    "Inference",
    "InferenceFound",
    "Linkage",
    "LinkageFound",
    "Membership",
    "MembershipFound",
    "Nearest",
    "OverlapFound",
    "PersonLinkage",
    "PersonLinkageFound",
    "Rate",
    "ValuesFound",
    "overlap",
]
