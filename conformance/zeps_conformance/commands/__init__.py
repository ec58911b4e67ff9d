"""Subcommands of ``zeps-conform`` with a module of their own, and their common options."""
