"""Tables that stay where they are: DuckDB, Spark, databases, lazy frames. Read `engine.py`, then `returning.py`."""
