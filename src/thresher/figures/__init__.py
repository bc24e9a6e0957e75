"""Figures as SVG, which reports, notebooks and `.plot()` share; what stands in them is escaped."""
