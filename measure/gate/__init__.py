"""Its place in a pipeline: when to measure, what reviewers may know, and what stands in the record afterwards."""
