"""Where processes run and how they are signalled."""
