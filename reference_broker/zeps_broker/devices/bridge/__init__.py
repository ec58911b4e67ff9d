"""Bridges between ZeroMQ's publish-subscribe and other messaging systems.

`port` says what a bridge needs of the other system, `core` is the bridge, without a socket or a clock: `bindings`
bring the other system's subscriptions to what ZeroMQ's subscribers want, `outbound` holds what it has still to take,
and `inbound` knows what it has brought before. `server` runs the core on sockets. `amqp_broker` is a broker of AMQP
0-9-1, `amqp_mapping` maps topics and messages to its terms, and `memory_broker` is a second system, which lives in
memory and fails when it is told to.
"""
