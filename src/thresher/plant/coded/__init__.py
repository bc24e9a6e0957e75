"""A model for each reason code of a target, under one budget of alerts."""
