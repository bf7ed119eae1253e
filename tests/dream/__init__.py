"""Generators and runners for what the dream decides; none of them knows how the heuristics work."""
