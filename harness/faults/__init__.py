"""What can be done to a system, one file each; entering `inject` breaks it and yields the evidence, leaving heals it."""
