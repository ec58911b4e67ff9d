"""Trees of `zeps forward` processes, and a load that counts on the wire what goes over each of their links.

`wire` cuts and makes ZMTP's octets, `net` is the load's one thread: the publisher, the subscribers and a relay in each
link; `nodes` are the processes; `campaign` makes them come and go, and says what has to hold. None of it uses the
forwarder's code.
"""
