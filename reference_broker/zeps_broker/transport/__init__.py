"""The network: ROUTER, PUB and SUB sockets on either of two engines, ZMTP on plain sockets (`zmtp`) and libzmq."""
