"""What is done with releases that were made: `comparing` (side by side), `attacks` (at a click)."""
