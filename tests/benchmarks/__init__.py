"""Questions with gold, the plain RAG baseline and independent checkers; see README.md."""
