"""Devices between publishers and subscribers: a forwarder, and a bridge to another messaging system.

Each has a core without sockets and clock, and a `server` that runs it on the broker's transport.
"""
