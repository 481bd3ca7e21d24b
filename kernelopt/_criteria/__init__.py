"""The criteria: what is being learned, one file each."""
