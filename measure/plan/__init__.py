"""What is launched, in which order, within which budget, and when it stops."""
