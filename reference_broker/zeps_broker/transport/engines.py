"""Which transport serves which endpoints."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import zmq

from zeps_broker.memory import Shares
from zeps_broker.ports import Peer
from zeps_broker.transport.errors import TransportError
from zeps_broker.transport.libzmq_router import LibzmqRouter
from zeps_broker.transport.options import GatewayOptions, RouterOptions
from zeps_broker.transport.zmtp.endpoints import is_ours
from zeps_broker.transport.zmtp.router_transport import RouterTransport

__all__ = ["open_transport"]


def open_transport(
    endpoints: Sequence[str],
    options: RouterOptions | None = None,
    context: zmq.Context[zmq.Socket[bytes]] | None = None,
    gateways: Sequence[GatewayOptions] = (),
    log: logging.Logger | None = None,
    is_attached: Callable[[Peer], bool] = lambda peer: True,
    shares: Shares | None = None,
) -> RouterTransport | LibzmqRouter:
    """Listen on all of `endpoints`; `context` is that of those who connect over inproc. Raises TransportError.

    One transport carries them all, so that sessions of all kinds share one order: ours if it can serve every one of
    them, and the options do not say otherwise. `is_attached` says whether a peer has a session; `shares` bounds the
    memory of ours, libzmq's is bounded by counts of messages alone.
    """
    options = options or RouterOptions()
    native = options.engine == "native" and all(map(is_ours, endpoints))
    if gateways and (options.curve.secret_key is not None or not native):
        raise TransportError(
            'gateways need transport.engine = "native", endpoints of tcp and ipc alone, and no [curve]'
        )
    if native:
        return RouterTransport(
            endpoints, options, gateways=gateways, is_attached=is_attached, shares=shares, log=log
        )
    return LibzmqRouter(endpoints, options, context, log=log)
