"""The broker as a program: configuration, log, signals, descriptors, and the loop that connects transport, core and
journal.
"""
