"""The few hot loops, free of any notion of tables or privacy."""
