"""Trees of other libraries as models of this one: `convert`."""
