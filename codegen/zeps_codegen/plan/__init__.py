"""What a codec does, decided once for all languages: the layout of each message, and the operations on it.

A language spells the operations; it does not decide which there are, in which order they come, and what is compared.
"""
