"""Functions from data frame to data frame. None of them reads, writes, or asks for a session."""
