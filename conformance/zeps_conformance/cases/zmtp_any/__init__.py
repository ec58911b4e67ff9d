"""Cases of any peer that is dialled, whatever its kind of socket: they belong to profiles zmtp-pub and zmtp-router.

A trial says what they need to know of the kind: who may talk to it, and how a peer shows that it is served.
"""
