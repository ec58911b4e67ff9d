"""Spark jobs: each reads, transforms and writes with a session that its caller passes."""
