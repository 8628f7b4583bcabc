"""What (k, ε)-anonymity asks of columns, and of their values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.domain import Grid
from shoal.data.schema import Column, Role, Schema
from shoal.data.unit import Unit
from shoal.errors import DataError, SchemaError, listed
from shoal.methods.base import Mode
from shoal.methods.k_epsilon.bounds import widest_bounds
from shoal.methods.k_epsilon.columns import not_numeric, numeric
from shoal.methods.k_epsilon.noise import ClassNoise
from shoal.methods.k_epsilon.perturbing import epsilon_for_noise

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.methods.k_epsilon.method import KEpsilon


def require_columns(method: KEpsilon, schema: Schema) -> Schema:
    """The schema without the perturbed columns, for the k-anonymizer; refuses what cannot play its part."""
    for name in method.perturbed:
        _check_column(method, schema[name])
    _check_persons(method, schema)
    others = replace(schema, columns=tuple(c for c in schema if c.name not in method.perturbed))
    if not others.names(Role.QUASI_IDENTIFIER):
        raise SchemaError(
            f"every quasi-identifier is in perturbed ({listed(method.perturbed)}), so there are no classes; leave at "
            "least one for the k-anonymizer."
        )
    for rule in method.bounds:
        for name in rule.where:
            if name in method.perturbed or schema[name].role is not Role.QUASI_IDENTIFIER:
                raise SchemaError(
                    f"bounds differ by {name!r}, which is not a quasi-identifier that the k-anonymizer publishes; "
                    f"those are {listed(others.names(Role.QUASI_IDENTIFIER), 12)}."
                )
    return others


def _check_column(method: KEpsilon, column: Column) -> None:
    if column.role is not Role.QUASI_IDENTIFIER:
        raise SchemaError(
            f"column {column.name!r} is in perturbed and has the role {column.role.value!r}; a column has one part "
            "to play: give it the role 'quasi-identifier', or take it out of perturbed."
        )
    domain = column.domain
    if domain is None and column.hierarchy is not None and not column.observed:
        domain = column.hierarchy.leaves()
    if domain is not None and not isinstance(domain, Grid):
        raise not_numeric(column.name)
    if (method.mode is Mode.RIGOROUS or method.stays_within_domain) and not column.is_declared:
        raise SchemaError(
            f"the domain of {column.name!r} is not declared, and taking it from the data is not private; declare "
            "it with from, to and step, and remove 'observed', or confirm what was observed with `shoal declare`."
        )


def _check_persons(method: KEpsilon, schema: Schema) -> None:
    """Several records of a person: the k-anonymizer must count persons, and a link to one of several is not bounded."""
    several = schema.max_records if method.mode is Mode.RIGOROUS else schema.max_records or 2
    if schema.unit is Unit.RECORD or (several or 1) == 1:
        return
    if method.mode is Mode.AS_PUBLISHED or not method.anonymizer.counts_persons:
        what = "as published it bounds how surely one record can be linked"
        if method.mode is Mode.RIGOROUS:
            what = f"its k-anonymizer, {method.anonymizer.name}, counts records"
        raise SchemaError(
            f"{method.name}: {what}, and {schema.unit_column!r} says that a {schema.unit.value} may have several; "
            "write max_records = 1 in [data], so that one record of each takes part, drawn at random."
        )


def require_values(method: KEpsilon, table: EncodedTable) -> None:
    """Refuse values that no noise can hide, and noise that cannot be drawn; nothing is spent yet."""
    for name in method.perturbed:
        missing = numeric(table, name).missing
        if method.mode is Mode.AS_PUBLISHED and missing is not None and table.marginal(name)[missing]:
            raise DataError(
                f"column {name!r} is in perturbed and has missing values, which no noise can hide; fill them in, "
                "or leave these records out."
            )
    if method.mode is Mode.RIGOROUS:
        epsilon, several = epsilon_for_noise(method), [Fraction(len(method.perturbed))]
        for name in method.perturbed:
            ClassNoise(epsilon, np.array([widest_bounds(table, name, method.bounds)]), several).require_drawable()
