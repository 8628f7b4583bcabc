"""From the files of a release and its original to attacks tried: for the owner's eyes only."""

from shoal.attacks.release.opening import Attacked, control_group, open_attacked
from shoal.attacks.release.trying import Options, Tried, try_all

__all__ = ["Attacked", "Options", "Tried", "control_group", "open_attacked", "try_all"]
