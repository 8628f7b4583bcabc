"""A package that adds one of each to Shoal: a method, a private one, a quality model, a criterion, a recipe."""
