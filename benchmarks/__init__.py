"""Speed, memory and quality against peers, in one run: ``python -m benchmarks``."""
