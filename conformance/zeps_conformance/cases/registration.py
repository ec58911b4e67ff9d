"""Registration of cases: function ``form`` of ``zmtp_sub/greeting.py`` becomes case ``zmtp-sub.greeting.form``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Protocol, TypeVar

from zeps_conformance.common import case as cases
from zeps_conformance.common.case import RETAINS, TIME_LIMIT, Body, Needs, Polarity
from zeps_conformance.common.dialects import Dialect

__all__ = ["case"]

#: The profiles of a package that belongs to several: their implementations accept connections from the suite.
SHARED = {"zmtp_any": ("zmtp-pub", "zmtp-router")}

Function = TypeVar("Function", bound=Callable[..., None])


class Registration(Protocol):
    def __call__(self, function: Function, /, *arguments: object) -> Function:
        """Registers `function`, called with the trial and `arguments`, and returns it."""


def case(
    title: str,
    *rules: str,
    subject: str = "",
    polarity: Polarity = Polarity.POSITIVE,
    needs: Needs = Needs.NOTHING,
    dialects: tuple[Dialect, ...] = (),
    types: tuple[str, ...] = (),
    limit: float = TIME_LIMIT,
    retains: int = RETAINS,
) -> Registration:
    """Registers a function as a case of each profile of its package; `subject` ends the id, by default the function's
    name. The other parameters and the exceptions are those of :func:`zeps_conformance.common.case.case`.
    """

    def register(function: Function, /, *arguments: object) -> Function:
        *_, package, section = function.__module__.split(".")
        name = subject or function.__name__
        body = _with_arguments(function, arguments) if arguments else function
        for profile in SHARED.get(package, (package,)):
            case_id = f"{profile}.{section}.{name}".replace("_", "-")
            cases.case(
                case_id,
                title,
                *rules,
                polarity=polarity,
                needs=needs,
                dialects=dialects,
                types=types,
                limit=limit,
                retains=retains,
            )(body)
        return function

    return register


def _with_arguments(function: Callable[..., None], arguments: tuple[object, ...]) -> Body:
    @functools.wraps(function)
    def body(trial: object) -> None:
        function(trial, *arguments)

    return body
