"""Agents that can be launched, and what came back from a launch."""
