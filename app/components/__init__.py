"""Groups of widgets, one a file. They show and ask; what is done is done by the client."""
