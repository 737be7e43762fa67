"""The phases of a research run, one file each, nodes in the order in which they run."""
