"""Spark jobs, which use the session that their caller passes, and their session, progress and checks."""
