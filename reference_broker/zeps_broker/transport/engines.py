"""Selects the transport for a list of endpoints."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import zmq

from zeps_broker.memory import Shares
from zeps_broker.ports import Peer
from zeps_broker.transport.errors import InvalidSettingError
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
    """Listens on all of `endpoints`; `context` is that of clients that connect over inproc. Raises TransportError.

    One transport serves all endpoints, so that all sessions share one order: the native engine if it supports every
    endpoint (tcp and ipc) and the options do not exclude it, else libzmq. `gateways` need the native engine.
    `is_attached` returns whether a peer has a session. `shares` bounds the native engine's memory (None: no bound).
    """
    options = options or RouterOptions()
    native = options.engine == "native" and all(map(is_ours, endpoints))
    if gateways and (options.curve.secret_key is not None or not native):
        raise InvalidSettingError(
            'gateways need transport.engine = "native", only tcp and ipc endpoints, and no [curve] section'
        )
    if native:
        return RouterTransport(
            endpoints, options, gateways=gateways, is_attached=is_attached, shares=shares, log=log
        )
    return LibzmqRouter(endpoints, options, context, log=log)
