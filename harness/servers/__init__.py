"""The servers that a target may need, one file each: how each is started, asked who it is, and emptied."""
