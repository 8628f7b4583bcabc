"""The steps of the page, a file each: `data`, `columns`, `protect`, `run`, `explore`, `release`."""
