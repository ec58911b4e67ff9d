"""Runs of cases: profiles, the runner, the columns of the matrix, and the coverage of rules."""
