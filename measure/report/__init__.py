"""Records for people."""
