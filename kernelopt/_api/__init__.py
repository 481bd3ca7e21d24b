"""From a user's words to an answer: `solve`, `certify` and `compatibility`, one file for each step of a solve.

validate, choose, build, start, then the loop and the certificate of `_saddle`, then the result: the faces import these.
Nothing below imports this room: names that users type are resolved here, and defaults are chosen here.
"""
