"""From the file of a description to what it says, whichever kind it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from shoal.errors import ParameterError
from shoal.survey.metadata.csvw import from_csvw
from shoal.survey.metadata.ddi import from_ddi
from shoal.survey.metadata.described import Described
from shoal.survey.metadata.frictionless import from_frictionless


def read_description(path: Path, file: str) -> Described:
    """What a description says about the table in a file of this name: Frictionless, CSV on the Web, or DDI Codebook."""
    try:
        return _understood(path.read_bytes(), file)
    except FileNotFoundError:
        raise ParameterError(f"the description {path} does not exist; give a datapackage.json or the like.") from None
    except OSError as error:
        raise ParameterError(f"the description {path} cannot be read ({type(error).__name__}).") from None
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise ParameterError(
            f"{path} cannot be understood ({type(error).__name__}); expected a Frictionless or CSVW description in "
            "JSON, or a DDI codebook in XML."
        ) from None


def _understood(content: bytes, file: str) -> Described:
    if content.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        return from_ddi(content)
    parsed = json.loads(content.decode("utf-8-sig"))
    if not isinstance(parsed, Mapping):
        raise ParameterError("the description is a list or a single value; expected an object.")
    is_csvw = "@context" in parsed or "tableSchema" in parsed
    return from_csvw(parsed, file) if is_csvw else from_frictionless(parsed, file)
