"""The subcommands of ``zeps-conform`` that need a file of their own, and the options that they share."""
