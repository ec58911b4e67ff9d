"""The broker suite: judges a ZEPS broker through the sessions of a client that the suite plays."""
