"""Values to codes and back, and published texts to codes."""
