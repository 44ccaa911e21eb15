"""Consensus of communities on the links of a network; published after the review."""
