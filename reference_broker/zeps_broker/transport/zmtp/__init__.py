"""The native ZMTP engine on plain sockets, with the generated codec and machine: `frames` splits and joins frames,
`connection` handles one peer, `endpoints` listens, `router_transport` is the :class:`zeps_broker.ports.Transport`.
"""
