"""Does this line change what the agent does? Paired, blind, exact measurement of governed text."""

__version__ = "0.1.0"
