"""The folder of a comparison: tables, figures, pages."""
