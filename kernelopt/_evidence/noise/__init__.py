"""Noise under the evidence: its size, heavy tails, rows and targets with noise of their own, and copies of rows."""
