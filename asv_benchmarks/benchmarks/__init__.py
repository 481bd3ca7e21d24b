"""How long the steps of a run take; `make bench` runs each once, `asv run` measures."""
