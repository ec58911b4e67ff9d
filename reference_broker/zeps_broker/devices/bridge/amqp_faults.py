"""Explains errors between the bridge and an AMQP broker: what happened, where, and what to do."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

from pika import exceptions
from pika.connection import Parameters

__all__ = ["explain", "where"]


def where(parameters: Parameters) -> str:
    """Returns ``amqp://HOST:PORT``, or ``amqps://`` with TLS: without user, password and virtual host."""
    scheme = "amqp" if parameters.ssl_options is None else "amqps"
    return f"{scheme}://{parameters.host}:{parameters.port}"


def explain(error: BaseException, parameters: Parameters, exchange: str) -> str:
    """Returns one line about an exception of pika: the broker's address, the cause, and a remedy if one is known."""
    place = where(parameters)
    causes = list(_causes(error))
    for cause in causes:
        if text := _of_connection(cause, parameters) or _of_channel(cause, parameters, exchange):
            return f"{place}: {text}"
    last = causes[-1]
    return f"{place}: {str(last) or type(last).__name__}"


def _of_connection(error: BaseException, parameters: Parameters) -> str | None:
    if isinstance(error, socket.gaierror):
        return f"the host {parameters.host} is unknown; check the spelling, or the name service"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed ({error.reason or error}); check the certificate, or the port"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused; start the broker there, or give the right host and port"
    if isinstance(error, exceptions.AuthenticationError | exceptions.ProbableAuthenticationError):
        user = getattr(parameters.credentials, "username", "?")
        return (
            f"the user {user!r} is refused; give the right name and password "
            "(RabbitMQ lets guest in from its own machine only)"
        )
    if isinstance(error, exceptions.ProbableAccessDeniedError):
        return (
            f"the virtual host {parameters.virtual_host!r} does not exist or is closed to this user; "
            "create it, grant access (rabbitmqctl set_permissions), or name another in the URL"
        )
    if isinstance(error, exceptions.IncompatibleProtocolError):
        return "the peer does not speak AMQP 0-9-1; check the port (5672, with TLS 5671)"
    return None


def _of_channel(error: BaseException, parameters: Parameters, exchange: str) -> str | None:
    if not isinstance(error, exceptions.ChannelClosedByBroker):
        return None
    vhost = parameters.virtual_host
    if error.reply_code == 404 and "no exchange" in error.reply_text:
        return f"the exchange {exchange!r} does not exist in {vhost!r}; create it, or give --declare"
    if error.reply_code == 406 and "'type' for exchange" in error.reply_text:
        return (
            f"the exchange {exchange!r} is of another type ({error.reply_text}); give its type with "
            "--exchange-type; a direct exchange cannot be asked for prefixes"
        )
    if error.reply_code == 403:
        return f"the user lacks a permission ({error.reply_text}); see rabbitmqctl set_permissions"
    return f"the broker closed the channel: {error.reply_code} {error.reply_text}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yields an exception and the exceptions it wraps, in its arguments or as pika's connectors do, outermost first."""
    yield error
    inner = [*error.args, getattr(error, "exception", None), *getattr(error, "exceptions", ())]
    for cause in inner:
        if isinstance(cause, BaseException):
            yield from _causes(cause)
