"""What each column does to a score: Shapley values of trees, and reasons in words."""
