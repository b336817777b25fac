"""What `harness prove` came to: as text, as a picture, and as the catalogue of failure modes."""
