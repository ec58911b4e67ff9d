"""The whole system on a virtual clock: the real core, simulated clients, and a disk and links that fail.

`python -m zeps_broker.sim --seeds 0:100` runs it; a seed decides everything, so a seed that fails replays
exactly.
"""
