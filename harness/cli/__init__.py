"""The command `harness`: one module per subcommand, imported when it is called."""
