"""The books: a ledger in memory, and the store of all datasets of an owner on disk."""
