"""What can be done to a system, one file each; entering `inject` breaks it and yields evidence, leaving heals it."""
