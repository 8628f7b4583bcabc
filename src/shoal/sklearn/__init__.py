"""A release as a step of a scikit-learn pipeline: `anonymizer.py`, and `nearest_class.py`, its rule for new records."""

from __future__ import annotations

from shoal.errors import ParameterError

try:
    from shoal.sklearn.anonymizer import Anonymizer
except ModuleNotFoundError as error:
    if error.name is None or not error.name.startswith("sklearn"):
        raise
    raise ParameterError("shoal.sklearn needs scikit-learn: pip install 'shoal[learn]'.") from None

__all__ = ["Anonymizer"]
