"""How good a model is on rows that it has not seen, and what that means for a plant."""
