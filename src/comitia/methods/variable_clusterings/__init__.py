"""Methods that optimise the weights of clusterings together with the consensus."""
