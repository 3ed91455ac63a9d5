"""What the client would send to the model, caught on loopback and read."""
