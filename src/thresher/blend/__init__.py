"""A blend of models that err unlike each other, and the boosted trees that are one of them."""
