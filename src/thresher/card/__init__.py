"""Score cards: few small trees whose points are added up."""
