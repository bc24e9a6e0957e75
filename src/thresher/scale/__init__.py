"""Trees from more rows than memory holds, or than one machine holds."""
