"""The main job: from a request to a record."""
