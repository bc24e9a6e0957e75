"""Each kind of model as plain data with arrays, and back: one file a kind."""
