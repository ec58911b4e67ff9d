"""The `zeps` command: `main` is the entry point, and each other module adds one or more subcommands."""
