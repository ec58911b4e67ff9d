"""The socket suites: ZMTP sockets of any implementation, judged over raw connections."""
