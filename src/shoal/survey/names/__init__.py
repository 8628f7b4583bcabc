"""What the names of columns say: `words` asks, `vocabulary` and `topics` have the words."""
