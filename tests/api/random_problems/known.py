"""Problems whose answer has a fault that nobody has mended yet: the reason, and the seeds. To be emptied.

A seed that has no fault any more must leave this page: the test says so. Only seeds that the tests try unasked are
listed; a search over more of them prints all that it finds.
"""

KNOWN: dict[str, tuple[int, ...]] = {}
