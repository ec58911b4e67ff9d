"""The language-independent part of codecs and machines: the layout of each message, and the operations on it.

Every language spells the same operations; their number and order, and the checks, are decided here.
"""
