"""A publish-subscribe device: subscriptions travel up, aggregated; messages travel down, once for each link.

`zeps_broker.topics` counts the subscriptions of each peer, `policies` decides which of them the upstreams are asked
for, `upstream` brings each upstream to that state, `core` is the device without sockets, and `server` runs it.
"""
