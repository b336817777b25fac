"""Reports: one result and one history, rendered for a terminal, a browser and a CI server."""
