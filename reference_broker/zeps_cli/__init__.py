"""The `zeps` command: `main` is the entry point, and each of the other modules adds one or more of its subcommands."""
