"""Search: vector and keyword indexes, fusion and the retriever; nothing is imported here."""
