"""A model as one query of SQL."""
