"""Models as files and as JSON: written as a whole, checked before they are used."""
