"""Subscriptions of ZeroMQ's subscribers: tables of topics, and limits on them.

`subscriptions` counts the topics of each peer and says which peers a message goes to; `topic_tree` finds long topics;
`budget` limits the topics of each peer. Gateways and devices use them.
"""
