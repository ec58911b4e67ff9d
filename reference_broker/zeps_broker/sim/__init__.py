"""Simulation of the whole system on a virtual clock: the real core, simulated clients, and a faulty disk and network.
`python -m zeps_broker.sim --seeds 0:100` runs it; the seed determines everything, so a failing seed replays exactly.
"""
