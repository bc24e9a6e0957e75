"""The conditions that lead to the rare class, read from a fitted tree, and what speaks for them."""
