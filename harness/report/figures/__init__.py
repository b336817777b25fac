"""Static figures for a wiki or a pull request: the report's charts and witnesses, drawn by matplotlib."""
