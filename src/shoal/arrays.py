"""Names for the NumPy arrays that travel through Shoal.

A dtype that is decided by the size of a domain (8, 16 or 32 bits) is written `Codes`; one that is fixed is fixed here.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.integer[Any]]
"""Leaf codes of one column, or classes at one level of its hierarchy: narrow where many are kept."""

Nodes: TypeAlias = NDArray[np.int32]
"""Nodes of one hierarchy: leaves 0…n−1, inner nodes after them."""

Keys: TypeAlias = NDArray[np.int64]
"""Several codes packed into one integer."""

Sizes: TypeAlias = NDArray[np.int64]
"""How many records."""

Floats: TypeAlias = NDArray[np.float64]

Mask: TypeAlias = NDArray[np.bool_]
