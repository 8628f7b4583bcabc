"""Anonymizer: a release as a step of a scikit-learn pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shoal.errors import ParameterError
from shoal.methods.base import Method
from shoal.parameters.words import came

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.ledger import Ledger


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Learn from anonymized data: `fit` makes a release of a table, `transform` recodes records as that release is.

    One row comes out for each that goes in, in the same order, identifiers left out. Full-domain recodings and cuts are
    functions of single values and are applied to new records as they are. Local recodings and clusters are not: there a
    new record gets the quasi-identifiers of the nearest published class, of several the one with the narrowest cells.
    That is a rule of this wrapper and no part of any guarantee. It also means that `fit_transform` on the table itself
    need not give every record the class it was published in, and recodes records that the release leaves out.

    What `transform` gives is no release: nobody has checked that k of its rows look alike. What may be published is
    `release_`, which is left out of pickles because it holds the original. A fitted pipeline that is pickled holds
    what was published and the domains and hierarchies of the columns; domains that were not declared list values seen.

    `fit` of a differentially private method is a release: it charges the ledger each time, so once for each fold of a
    cross-validation. `transform` looks only at what was published, and costs nothing.

    Args:
        method: What anonymizes, such as `shoal.Mondrian(k=5)`.
        schema: What the columns are; guessed if not given, which private methods refuse.
        target: What the column of `y` is called in the schema, if the method is to know it (as sensitive, or as the
            `target` that it works for); without it `y` is not looked at.
        ledger: The books that a private release is paid from, `shoal.Ledger.open(...)`; by default those of
            `shoal.set_ledger`.
        one_record_each: Whether the owner affirms that no person has several records.

    Attributes:
        release_: The release, `release_.write("folder")`; for the owner's eyes, not in pickles.
        certificate_: What is promised about the release.
        nearest_: Whether new records get the cells of the nearest class.
        n_features_in_: How many columns the table has.
        feature_names_in_: Their names.

    Example:
        >>> import pandas as pd, shoal
        >>> from shoal.sklearn import Anonymizer
        >>> people = pd.DataFrame({"age": [31, 33, 38, 52, 55, 57], "town": ["A", "A", "A", "B", "B", "B"]})
        >>> schema = shoal.Schema.infer(people).with_column("age", domain=(0, 99), hierarchy=shoal.intervals(10, 20))
        >>> step = Anonymizer(shoal.OptimalLattice(k=2), schema).fit(people)
        >>> step.transform(pd.DataFrame({"age": [40], "town": ["A"]})).iloc[0].to_list()
        ['40-49', 'A']
    """

    def __init__(
        self,
        method: Method | None = None,
        schema: Schema | None = None,
        *,
        target: str | None = None,
        ledger: Ledger | None = None,
        one_record_each: bool = False,
    ) -> None:
        self.method = method
        self.schema = schema
        self.target = target
        self.ledger = ledger
        self.one_record_each = one_record_each

    def fit(self, X: Any, y: Any = None) -> Anonymizer:  # noqa: N803  as scikit-learn calls them
        """Make a release of a table.

        Args:
            X: The table: a frame of pandas, polars or pyarrow, or an array, whose columns are called x0, x1 and so on.
            y: The column called `target`, if that is said.
        """
        from shoal.data.schema import Schema
        from shoal.sklearn.nearest_class import require_rule, what_was_published

        method: Any = self.method
        if not hasattr(method, "anonymize"):
            raise ParameterError(f"method must be a method such as shoal.Mondrian(k=5); got {came(method)}.")
        require_rule(method)
        frame = _framed(X)
        names = _names(frame)
        frame = frame if self.target is None else _beside(frame, self.target, y)
        schema = Schema.infer(frame) if self.schema is None else self.schema
        release = method.anonymize(frame, schema, ledger=self.ledger, one_record_each=self.one_record_each)
        self._rule = what_was_published(release.outcome)
        self._missing = tuple(release.rows.engine.missing)
        self._hidden = frozenset(column.name for column in release.rows.schema if not column.role.is_published)
        self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, dtype=object)
        self.release_, self.certificate_ = release, release.certificate
        self.nearest_ = self._rule.recoding is None
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Recode records as the release is, by what was published of it; the same kind of table comes out."""
        from shoal.engines.reading.source import frame_source
        from shoal.engines.writing.publishing import recode
        from shoal.sklearn.nearest_class import recode_by_nearest

        check_is_fitted(self)
        frame = _framed(X)
        source, native = frame_source(frame)
        names = list(source.types())
        lacking = [name for name in self.feature_names_in_ if name not in names]
        if lacking or (frame is not X and len(names) != self.n_features_in_):
            named = f"; there is no {lacking[0]!r}" if lacking and frame is X else ""
            raise ParameterError(
                f"X has {len(names)} features, but Anonymizer is expecting {self.n_features_in_} features as "
                f"input{named}."
            )
        if self._rule.recoding is not None:
            made = recode(source, self._rule.table, self._rule.recoding, self._missing, self._hidden)
        else:
            made = recode_by_nearest(source, self._rule, self._missing, self._hidden)
        made = made.select([name for name in made.column_names if name in set(self.feature_names_in_)])
        return _array(made) if frame is not X else native(made, self._rule.table.covered)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns that come out: all that go in but identifiers."""
        check_is_fitted(self)
        del input_features
        return np.array([name for name in self.feature_names_in_ if name not in self._hidden], dtype=object)

    def __sklearn_tags__(self) -> Any:
        """Takes and gives texts, days and missing values."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Without the release, which holds the original."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "release_"}


def _names(frame: Any) -> list[str]:
    return list(map(str, frame.column_names if hasattr(frame, "column_names") else frame.columns))


def _framed(table: Any) -> Any:
    """A frame as it is; an array as a frame of columns called x0, x1 and so on."""
    if hasattr(table, "toarray"):
        raise ParameterError("sparse data is not supported: its columns say nothing about people; give a frame.")
    is_array = isinstance(table, list | tuple) or (hasattr(table, "__array__") and not hasattr(table, "columns"))
    if not is_array:
        return table
    import pyarrow as pa

    values = np.asarray(table)
    if np.iscomplexobj(values):
        raise ParameterError("Complex data not supported; give numbers, texts or days.")
    if values.ndim != 2:
        raise ParameterError(f"expected 2 dimensions; got {values.ndim}. Reshape your data: rows and columns.")
    if not values.size:
        rows, columns = values.shape
        raise ParameterError(
            f"Found array with {rows} sample(s) and {columns} feature(s) (shape={values.shape}) while a minimum of "
            "1 is required."
        )
    try:
        return pa.table({f"x{i}": pa.array(values[:, i].tolist()) for i in range(values.shape[1])})
    except pa.ArrowException:  # its text quotes a value
        pass
    raise ParameterError("a column of the array mixes types, such as numbers and text; give a frame instead.")


def _beside(frame: Any, name: str, y: Any) -> Any:
    """The table with the target as one more column."""
    import narwhals as nw

    if y is None:
        raise ParameterError(f"the column {name!r} is the target and was not given: fit(X, y).")
    table = nw.from_native(frame, eager_only=True)
    if name in table.columns:
        raise ParameterError(f"the target is called {name!r}, as a column of the table is; rename one of them.")
    values = y.to_list() if hasattr(y, "to_list") else y.tolist() if hasattr(y, "tolist") else list(y)
    column = nw.new_series(name, values, backend=nw.get_native_namespace(table))
    if len(column) != len(table):
        raise ParameterError(f"the table has {len(table):,} rows and the target {len(column):,}; they must be as many.")
    if nw.dependencies.is_pandas_dataframe(frame):
        return frame.assign(**{name: values})
    return table.with_columns(column).to_native()


def _array(table: Any) -> Any:
    """An array of what was published: of numbers if all columns are, missing ones NaN, else of objects."""
    columns = [np.asarray(column.to_pylist(), dtype=object) for column in table.columns]
    made = np.column_stack(columns) if columns else np.empty((table.num_rows, 0), dtype=object)
    is_number = all(cell is None or isinstance(cell, int | float) for row in made for cell in row)
    return made.astype(float) if is_number else made
