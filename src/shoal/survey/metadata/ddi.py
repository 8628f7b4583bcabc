"""DDI Codebook: variables with their labels, categories and ranges.

Specification: DDI-Codebook 2.5 (`codeBook/dataDscr/var`), as archives and statistical offices publish it.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from shoal.errors import ParameterError
from shoal.survey.metadata.bounds import between
from shoal.survey.metadata.described import Described, DescribedColumn


def from_ddi(content: bytes) -> Described:
    """What a codebook says about its variables."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ParameterError("the codebook declares entities, which are not read; save it without a DOCTYPE.")
    try:
        root = ET.fromstring(content)  # noqa: S314  entities, by which XML does harm, were refused
    except (ET.ParseError, ValueError, LookupError):  # an encoding that nobody knows
        raise ParameterError("the codebook cannot be read as XML; expected DDI Codebook 2.5.") from None
    variables = [element for element in root.iter() if _tag(element) == "var" and element.get("name")]
    if not variables:
        raise ParameterError("the codebook describes no variables; expected DDI Codebook 2.5, with dataDscr and var.")
    return Described(columns={str(variable.get("name")): _column(variable) for variable in variables})


def _column(variable: ET.Element) -> DescribedColumn:
    categories = [element for element in variable if _tag(element) == "catgry"]
    coded = [(_value(category, "catValu"), category.get("missing") == "Y") for category in categories]
    ranges = [element for element in variable.iter() if _tag(element) == "range"]
    domain = between("integer", ranges[0].get("min"), ranges[0].get("max")) if len(ranges) == 1 else None
    return DescribedColumn(
        label=_value(variable, "labl"),
        values=tuple(value for value, is_missing in coded if value and not is_missing) if domain is None else (),
        domain=domain,
        missing=tuple(value for value, is_missing in coded if value and is_missing),
    )


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _value(element: ET.Element, tag: str) -> str:
    found = next((child for child in element if _tag(child) == tag), None)
    return "" if found is None else " ".join((found.text or "").split())
