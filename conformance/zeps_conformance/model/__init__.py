"""The protocol model: its definitions, its rules, and a codec that interprets it."""
