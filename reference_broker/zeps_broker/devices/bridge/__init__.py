"""Bridges between ZeroMQ's publish-subscribe and other messaging systems.

`port` defines the interface of the other system. `core` is the bridge, without a socket or a clock: `bindings` adjusts
the other system's subscriptions to those of ZeroMQ's subscribers, `outbound` holds messages for the other system, and
`inbound` detects repeated messages. `server` runs the core on sockets. `amqp_broker` connects to a broker of AMQP
0-9-1, `amqp_mapping` converts topics and messages, and `memory_broker` is a second system for tests: it lives in memory
and fails on request.
"""
