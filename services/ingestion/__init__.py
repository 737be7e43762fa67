"""From files to chunks, vectors and indexes."""
