"""What was decided, written as rows."""
