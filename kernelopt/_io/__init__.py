"""Files that hold what was learned, and can execute nothing: a container, values in it, and what is checked of them."""
