"""Tables as people have them, read as columns with a meaning."""
