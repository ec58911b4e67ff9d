"""The network: a ROUTER on one of two engines: ZMTP on plain sockets (`zmtp`, also XPUB and XSUB), or libzmq."""
