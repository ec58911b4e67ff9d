"""Mealy machines: derived from the model, learned over the wire, compared, drawn, and as complete test suites."""
