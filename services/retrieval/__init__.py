"""Search: vector and keyword indexes, calibrated scores, fusion and the retriever over them.

Nothing is imported here, so that each module can be used without loading the others.
"""
