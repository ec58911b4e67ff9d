"""The broker as a program: its configuration, log, signals and descriptors, and the loop that joins transport, core and
journal.
"""
