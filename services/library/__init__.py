"""Collections and documents: sharing, search, settings, archives, repair."""
