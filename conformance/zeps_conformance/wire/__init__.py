"""ZMTP 3 on plain sockets, written for this suite: peers that follow the rules or break them."""
