"""Rows that Gaussian noise cannot explain: what tells them, how they are learned from, and what a user is told."""
