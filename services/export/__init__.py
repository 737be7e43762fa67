"""A research report or a conversation as a file, in each of the formats that ``formats`` names.

``document`` makes one value of it; the module of a format only writes that value down, so that all
formats say the same.
"""
