"""Top-down specialization: from everything hidden, value by value, as long as the request is met.

`specializing` is what both do; `tds` keeps k-anonymity, `pais` LKC-privacy.
"""

from shoal.methods.top_down.pais import PAIS, Utility
from shoal.methods.top_down.tds import TDS

__all__ = ["PAIS", "TDS", "Utility"]
