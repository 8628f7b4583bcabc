"""Commands that tell something and change nothing."""
