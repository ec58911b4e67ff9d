"""The broker suite: a broker of ZEPS, judged over the sessions of a client that the suite plays."""
