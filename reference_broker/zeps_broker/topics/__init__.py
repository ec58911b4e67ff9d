"""Subscriptions of ZeroMQ subscribers, for gateways and devices: tables of topics (`subscriptions`, with `topic_tree`
for long topics), and limits on the topics of each peer (`budget`).
"""
