"""Probe files: their model, their form rules, and how a question is put."""
