"""Trees of `zeps forward` processes, and a load that counts the traffic on each of their links.

`wire` reads and writes ZMTP frames. `net` is the load's single thread: the publisher, the subscribers and a relay in
each link. `nodes` are the processes. `campaign` runs the phases. No module uses the forwarder's code.
"""
