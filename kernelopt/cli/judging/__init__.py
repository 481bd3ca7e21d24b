"""Errors on rows that were not learned from: which rows are held out, what is measured on them, and how it is shown."""
