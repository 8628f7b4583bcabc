"""check_release(): what a release promises, verified again from the published files alone."""

from shoal.checking.check import Checked, check_release
from shoal.checking.published_files import PublishedFiles, published_files

__all__ = ["Checked", "PublishedFiles", "check_release", "published_files"]
