"""The socket suites: judge ZMTP sockets of any implementation over raw connections."""
