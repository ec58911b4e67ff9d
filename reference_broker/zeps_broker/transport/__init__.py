"""The network: ROUTER, PUB and SUB sockets on one of two engines: ZMTP on plain sockets (`zmtp`), and libzmq."""
