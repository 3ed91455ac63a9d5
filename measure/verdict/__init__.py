"""Evidence, intervals, verdicts and findings, as pure functions over ordered pairs."""
