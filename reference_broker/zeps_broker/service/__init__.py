"""The broker as a program: configuration, log, signals, descriptors, and the loop between core and transport."""
