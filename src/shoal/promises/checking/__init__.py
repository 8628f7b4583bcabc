"""check_release(): what a release promises, verified again from the published files alone."""

from shoal.promises.checking.check import Checked, check_release
from shoal.promises.checking.published_files import PublishedFiles, published_files

__all__ = ["Checked", "PublishedFiles", "check_release", "published_files"]
