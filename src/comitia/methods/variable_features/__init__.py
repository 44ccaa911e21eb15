"""Methods that optimise the weights of features together with the clusterings."""
