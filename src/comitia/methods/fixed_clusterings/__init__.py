"""Weights on clusterings, computed once."""
