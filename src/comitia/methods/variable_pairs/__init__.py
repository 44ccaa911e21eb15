"""Methods that weigh pairs of objects and combine in turns."""
