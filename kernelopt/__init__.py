"""Kernel learning with a certified duality gap."""
