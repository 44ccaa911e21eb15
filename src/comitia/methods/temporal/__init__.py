"""Time series: clusterings of several representations or models, combined."""
