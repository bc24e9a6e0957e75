"""Each part of the report as plain data; `drawing/` has a picture for most of them."""
