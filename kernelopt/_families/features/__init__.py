"""Explicit lists of features on many rows: held, computed block by block or on a device, and spanned by landmarks."""
