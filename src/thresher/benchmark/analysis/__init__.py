"""What the scores of a study say of its methods."""
