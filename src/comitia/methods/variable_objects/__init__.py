"""Methods that weigh objects and combine in turns."""
