"""Tasks that fail and are run again, machines that vanish: counts and rows are the same as if nothing had happened."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import cases
import people
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import labelled
from places import back, spark

import shoal
from shoal.engines.codes.encoding import encode
from shoal.engines.lazy.engine import LazyEngine

pytestmark = pytest.mark.slow


def failing(frame):
    """The same frame, whose tasks fail when they are done, the first time."""

    def once(batches):
        from pyspark import TaskContext

        yield from batches
        if TaskContext.get().attemptNumber() == 0:
            raise RuntimeError("on purpose")

    return frame.mapInArrow(once, frame.schema)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_tasks_that_are_run_again_change_neither_counts_nor_rows(tmp_path):
    table, schema = people.arrow(people.rows(90)), people.schema()
    frame = failing(spark().createDataFrame(table).repartition(3))
    method = shoal.OptimalLattice(k=3, suppression_limit=0.2)
    here, there = method.anonymize(table, schema), method.anonymize(frame, schema)
    assert there.certificate == here.certificate
    assert Counter(labelled(back(there.data))) == Counter(labelled(here.data))
    there.write_data(tmp_path / "data.parquet")
    assert Counter(labelled(pq.read_table(tmp_path / "data.parquet"))) == Counter(labelled(here.data))


def test_who_of_several_equal_people_is_where_does_not_hang_on_which_attempt_succeeds():
    from test_lazy_engine import halved, passing

    table = pa.table({"x": [3, None, 5] * 20, "note": [f"n{i // 2}" for i in range(60)]})
    engine = LazyEngine.of(failing(spark().createDataFrame(table).repartition(3)))
    frame = engine.frame(passing(), halved(encode(engine, passing(), ["x"])))
    one, other = (Counter(labelled(back(frame))) for _ in range(2))
    assert one == other
    assert sum(one.values()) == 57


DRIVER = """
import json, os, sys, time, warnings
from pathlib import Path
warnings.simplefilter("ignore")
folder, master = Path(sys.argv[1]), sys.argv[2]
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
settings = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
            "spark.executor.memory": "512m", "spark.sql.shuffle.partitions": "4", "spark.log.level": "ERROR",
            "spark.sql.files.maxPartitionBytes": "2000", "spark.sql.files.openCostInBytes": "1"}
session = SparkSession.builder.master(master).config(map=settings).getOrCreate()
rows = session.read.parquet(f"file://{folder}/people")
marks = str(folder / "marks")

def slow(stage):
    def task(batches):
        import pathlib, time
        from pyspark import TaskContext
        pathlib.Path(marks, f"{stage}-{TaskContext.get().taskAttemptId()}").touch()
        time.sleep(1.5)
        yield from batches
    return task

sys.path.insert(0, sys.argv[3])
import cases, shoal
release = shoal.Mondrian(k=5).anonymize(rows.mapInArrow(slow("counting"), rows.schema), cases.schema())
release.data.repartition(6).mapInArrow(slow("writing"), release.data.schema).write.parquet(f"file://{folder}/released")
print(json.dumps(release.certificate.to_dict()))
"""


def test_a_worker_that_is_killed_in_the_midst_of_counting_or_writing_changes_nothing(tmp_path):
    """Three workers on this machine; one is killed while it counts, and one while it writes."""
    if shutil.which("java") is None:
        pytest.skip("Java is not installed here")
    import pyspark

    start = Path(pyspark.__file__).parent / "bin" / "spark-class"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    table = cases.table(600)
    (tmp_path / "people").mkdir()
    (tmp_path / "marks").mkdir()
    for part in range(6):
        pq.write_table(table.slice(part * 100, 100), tmp_path / "people" / f"{part}.parquet")
    java = {**os.environ, "SPARK_HOME": str(start.parents[1]), "PYSPARK_PYTHON": sys.executable}
    running = []

    def run(*words, **more):
        kept = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **more}
        running.append(subprocess.Popen(list(map(str, words)), env=java, start_new_session=True, **kept))
        return running[-1]

    try:
        run(start, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", 0)
        aside = ("--cores", 1, "--memory", "600m", "--host", "127.0.0.1", "--webui-port", 0)
        workers = [
            run(start, "org.apache.spark.deploy.worker.Worker", *aside, "-d", tmp_path / f"worker-{i}", master)
            for i in range(3)
        ]
        tests = Path(cases.__file__).parent
        driver = run(
            sys.executable, "-c", DRIVER, tmp_path, master, tests, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for stage, worker in zip(("counting", "writing"), workers, strict=False):
            deadline = time.monotonic() + 240
            while not list((tmp_path / "marks").glob(f"{stage}-*")):
                assert driver.poll() is None, driver.communicate()[1].decode()[-3000:]
                assert time.monotonic() < deadline, "nobody worked"
                time.sleep(0.1)
            os.killpg(worker.pid, signal.SIGKILL)
        printed, errors = driver.communicate(timeout=300)
        assert driver.returncode == 0, errors.decode()[-3000:]
    finally:
        for process in running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    here = shoal.Mondrian(k=5).anonymize(table, cases.schema())
    assert json.loads(printed.splitlines()[-1]) == here.certificate.to_dict()
    assert Counter(labelled(pq.read_table(tmp_path / "released"))) == Counter(labelled(here.data))
