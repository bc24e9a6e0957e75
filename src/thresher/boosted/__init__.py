"""Boosted trees that LightGBM grows, as one sum of trees."""
