"""Devices between publishers and subscribers: a forwarder and a bridge, each a core that a `server` runs."""
