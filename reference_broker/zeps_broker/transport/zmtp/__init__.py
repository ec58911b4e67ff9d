"""Our own ZMTP: the broker's network on plain sockets, with the generated codec and machine.

`frames` cuts and joins, `connection` is one peer from its greeting to its end, `endpoints` listens, and
`router_transport` is the :class:`zeps_broker.ports.Transport`.
"""
