"""Groups of commands, one a file; `app.cli` puts them together."""
