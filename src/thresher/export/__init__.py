"""A model where it is needed, outside of Python or without this package: one way, out."""
