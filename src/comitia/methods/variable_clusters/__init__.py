"""Methods that optimise the weights of clusters together with the consensus."""
