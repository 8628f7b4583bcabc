"""Where rows live. Methods never see an engine; engines never decide anything."""
