"""The released table: what the release file says, done to a table of the warehouse.

The certificate goes beside dbt's own files. A method with a budget needs `ledger=shoal.Ledger.open(...)`: dbt runs a
model as often as it likes, and each time is a release.
"""

import os
from pathlib import Path


def model(dbt, session):
    """What `shoal run` would publish, as a table."""
    from shoal.plan.plan import Plan

    dbt.config(materialized="table")
    plan = Plan.load(Path(os.environ.get("SHOAL_RELEASE_FILE", "demo/release.toml")))
    if plan.method.cost is not None:
        raise ValueError("this method spends a privacy budget: give anonymize() a ledger, and set a limit")
    release = plan.method.anonymize(dbt.ref("patients").to_arrow_table(), plan.schema)
    Path("target", "released_patients.certificate.json").write_text(release.certificate.to_json(), encoding="utf-8")
    return release.data
