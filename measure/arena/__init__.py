"""The fixed directory under temp that holds the lock and the arms, and exists only while a run does."""
