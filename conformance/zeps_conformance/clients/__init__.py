"""Judges clients of a broker: the suite is the broker, and controls the client through its adapter."""
