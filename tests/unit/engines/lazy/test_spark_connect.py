"""Spark Connect: the same calls by another protocol, in a process of its own, for one has one kind of session."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, sys
from collections import Counter
sys.path.insert(0, sys.argv[1])
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
session = SparkSession.builder.remote("local[2]").getOrCreate()
import people, shoal
from places import back
table, schema = people.arrow(people.rows(90)), people.schema()
frame = session.createDataFrame(table)
floor = {"age": 1, "day": 1}
for method in (shoal.Mondrian(k=4), shoal.OptimalLattice(k=3, suppression_limit=0.3, floor=floor)):
    here, there = method.anonymize(table, schema), method.anonymize(frame, schema)
    assert "connect" in type(there.data).__module__
    assert Counter(people.labelled(back(there.data))) == Counter(people.labelled(here.data))
print("the same")
session.stop()
"""


@pytest.mark.slow
def test_a_frame_of_spark_connect_gives_the_release_of_the_local_engine():
    """Columns that are passed through are joined there too."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed here")
    for needed in ("pyspark", "grpc", "grpc_status", "google.rpc", "zstandard"):
        pytest.importorskip(needed, reason="what pyspark[connect] needs is not installed here")
    tests = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tests], check=False, capture_output=True, timeout=900, text=True
    )
    assert done.stdout.split("\n")[-2].endswith("the same"), done.stderr[-2000:]
