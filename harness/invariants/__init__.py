"""Claims about a history: one file each, named as a scenario names it; `harness.check` asks them."""
