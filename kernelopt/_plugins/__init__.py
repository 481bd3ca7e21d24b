"""How plugins are found: the hooks that they implement, and the registry of the names that they offer.

`resolve` turns a name, a mapping or an object into an object; `_listing` is what users may ask.
Nothing here knows a family, a criterion or a solver by name: the core's own come through the same door.
"""
