"""What an agent client loads from a workspace."""

from measure.surface.files import read_surface
from measure.surface.model import Entry, Kind, LeftOut, LoadedElsewhere, Origin, Surface

__all__ = ["Entry", "Kind", "LeftOut", "LoadedElsewhere", "Origin", "Surface", "read_surface"]
