"""The report: one page of HTML on what was learned, for somebody who has never heard of kernels.

`_report.py` has the one function that users call. Nothing here learns anything but the machines of scikit-learn that
stand beside; nothing below imports this room.
"""
