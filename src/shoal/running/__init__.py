"""From a release file: the folders of a release, paid for (`publishing.py`), or what a run would do (`dry_run.py`)."""
