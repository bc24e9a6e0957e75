"""Each part of the report as plain data; most of them have a figure."""
