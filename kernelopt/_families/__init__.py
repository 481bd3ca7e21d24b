"""The families of the core: finite lists, the identity on samples, unions, views and prices."""
