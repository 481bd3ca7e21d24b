"""The papers' tables, each described by a file in `tables/`, and run with today's calls.

It knows what a paper did (`_definition`) and what was measured (`_ledger`); nothing here solves anything.
"""
