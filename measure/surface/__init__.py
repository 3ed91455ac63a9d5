"""What an agent client loads from a workspace."""
