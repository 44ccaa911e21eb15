"""Clusterings or clusters that are kept, and those that are not."""
