"""A research report or a conversation as a file.

``document`` turns it into blocks; the module of a format only writes blocks down, so that all
formats say the same.
"""
