"""Drawings as inline SVG, which reports and notebooks share; what is in them is escaped."""
