"""Text processing: normalisation, sentences, words and stems."""
