"""A research report as a file, in each of the formats that ``formats`` names.

``document`` makes one value of a report; the module of a format only writes that value down, so
that all formats say the same.
"""
