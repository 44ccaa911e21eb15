"""Several tables that describe the same objects, and count for more or less."""
