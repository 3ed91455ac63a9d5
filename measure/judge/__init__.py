"""The judge: reads one transcript against one question and knows nothing else."""
