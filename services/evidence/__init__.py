"""What answers a question, what is near enough, and what a quote supports."""
