"""The native ZMTP engine: the broker's network on plain sockets, with the generated codec and machine.

`frames` splits and joins frames, `connection` handles one peer from its greeting to its end, `endpoints` listens, and
`router_transport` is the :class:`zeps_broker.ports.Transport`.
"""
