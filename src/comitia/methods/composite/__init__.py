"""Methods made of parts of your choice, the default among them."""
