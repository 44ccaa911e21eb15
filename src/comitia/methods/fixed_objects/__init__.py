"""Weights on objects, computed once."""
