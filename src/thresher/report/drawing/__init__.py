"""Charts as inline SVG, each drawn for a wide and for a narrow page; colours come from the page."""
