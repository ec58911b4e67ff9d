"""A publish-subscribe device: subscriptions travel up, aggregated; messages travel down, once for each link.

`zeps_broker.topics` counts who wants what, `policies` decide what of it the upstreams are asked for, `links` brings each
upstream to that, whatever it had, and `core` is the device, without a socket or a clock.
"""
