"""Where rows come from: Arrow batches from files and frames, and what a table is known by."""
