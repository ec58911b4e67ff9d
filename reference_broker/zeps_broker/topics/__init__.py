"""Subscriptions of ZeroMQ subscribers: tables of topics, and limits on them.

`subscriptions` counts the topics of each peer and finds the peers for a message; `topic_tree` finds long topics;
`budget` limits the topics of each peer. Gateways and devices use them.
"""
