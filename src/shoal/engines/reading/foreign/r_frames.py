"""Data frames that R has saved with `saveRDS`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.engines.reading.foreign.child import Refused
from shoal.engines.reading.foreign.codebook import Codebook

if TYPE_CHECKING:
    import pyarrow as pa


def read(path: Path, sheet: str | None) -> tuple[pa.Table, Codebook]:
    """The frame; factors are texts, and the names of rows are left out."""
    import pandas as pd
    import pyarrow as pa
    import rdata

    del sheet
    frame = rdata.read_rds(path)
    if not isinstance(frame, pd.DataFrame):
        raise Refused("it holds something else than a data frame")
    frame.columns = [str(name) for name in frame.columns]
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None), Codebook()
