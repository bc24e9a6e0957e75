"""A model as JSON that people and programs read."""
