"""A report or a conversation as a file: blocks, which the module of a format only writes down."""
