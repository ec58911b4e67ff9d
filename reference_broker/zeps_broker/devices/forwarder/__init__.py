"""A publish-subscribe device: subscriptions travel up, aggregated; messages travel down, once for each link.

`zeps_broker.topics` counts who wants what, `policies` decide what of it the upstreams are asked for, `upstream` brings
each upstream to that, whatever it had, `core` is the device, without a socket or a clock, and `server` runs it.
"""
