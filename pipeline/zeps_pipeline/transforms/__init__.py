"""Functions from data frame to data frame. They do not read, write, or use a session."""
