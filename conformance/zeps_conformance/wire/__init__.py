"""ZMTP 3 on plain sockets, written for this suite: a peer that can behave, and one that can misbehave."""
