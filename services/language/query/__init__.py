"""What can be known about a question before anything is retrieved."""
