"""Weights on clusters, computed once."""
