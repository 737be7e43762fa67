"""Training data for the head that says whether a quote entails a claim."""
