"""From the files of a release and its original to attacks tried and a page about them: for the owner's eyes only."""

from shoal.attacking.belongings import Attacked, control_group, open_attacked
from shoal.attacking.page import page, to_dict
from shoal.attacking.trying import Options, Tried, try_all

__all__ = ["Attacked", "Options", "Tried", "control_group", "open_attacked", "page", "to_dict", "try_all"]
