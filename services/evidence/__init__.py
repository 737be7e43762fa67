"""Find what a document says in answer to a question, and check what sentences state against it."""
