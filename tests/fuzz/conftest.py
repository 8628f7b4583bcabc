"""Whoever damages what Shoal reads runs it with the server of the adversary's tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "adversary"))
