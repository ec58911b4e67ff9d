"""Captures of traffic: reading pcapng and pcap, judging their connections, and writing the suite's own traffic."""
