"""Reading, encoding and counting; a digest of the values: CPU seconds and peak memory, each in a fresh process."""

from __future__ import annotations

import sys

from common import blow_up, fresh_process, machine

CODE = """
import sys; sys.path.insert(0, ".")
from pathlib import Path
from common import adult_schema
from shoal.data.schema import Role
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import open_source
schema = adult_schema()
table = encode(LocalEngine(open_source(Path({path!r}))), schema, schema.names(Role.QUASI_IDENTIFIER))
print(len(table.counts))
"""

VALUES = """
from pathlib import Path
from shoal.engines.reading.source import open_source
from shoal.engines.reading.value_digest import value_digests
print(len(value_digests(open_source(Path({path!r})))))
"""

PYARROW = """
import pyarrow.parquet as pq
table = pq.read_table({path!r})
print(table.group_by(table.column_names).aggregate([([], "count_all")]).num_rows)
"""


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [1_200_000, 12_000_000]
    print(machine())
    print(f"{'rows':>12} {'what':<34} {'CPU s':>7} {'MB':>6}")
    for rows in sizes:
        path = str(blow_up(rows))
        for what, code in (
            ("shoal: codes and counts", CODE),
            ("shoal: digest of the values", VALUES),
            ("pyarrow: read_table and group_by", PYARROW),
        ):
            seconds, megabytes = min(fresh_process(code.format(path=path)) for _ in range(3))
            print(f"{rows:>12,} {what:<34} {seconds:>7.2f} {megabytes:>6.0f}")


if __name__ == "__main__":
    main()
