"""Cases for every implementation that peers connect to: profiles zmtp-pub and zmtp-router run them.

The trial supplies what depends on the socket type: the peer's socket type, and how to check that a peer is
served.
"""
