"""Features weigh; weights are computed once, before or while the members are made."""
