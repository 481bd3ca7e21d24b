"""The evidence of weighted lists of atoms: its value and derivatives, a descent, prices of atoms, the lower bound."""
