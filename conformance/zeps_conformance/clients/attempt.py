"""One attempt at one case of a client."""

from __future__ import annotations

from zeps_conformance.clients.trial import ClientTrial
from zeps_conformance.common.case import Case
from zeps_conformance.common.judging import judge
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import (
    KEEPS_RUNNING,
    PEACEFUL,
    CrashedError,
    FailureError,
    UnservedError,
    UnsupportedError,
)
from zeps_conformance.sockets.adapter import Adapter, RefusedError
from zeps_conformance.sockets.context import Settings, ZmtpProtocol

__all__ = ["run_client_case"]

LAST_BREATH = 0.2  # seconds within which a crashing process exits


def run_client_case(case: Case, adapter: Adapter, protocol: ZmtpProtocol, settings: Settings) -> CaseResult:
    """Runs `case` with new clients of `adapter`, then checks that another is served. A failure retires `adapter`."""
    trial = ClientTrial(case, adapter, protocol, settings)

    def act() -> None:
        try:
            case.function(trial)
            _check_served(trial)
        except UnsupportedError:
            raise
        except FailureError as error:
            adapter.retired = True
            if isinstance(error, CrashedError):
                raise
            if not adapter.ends(LAST_BREATH):
                trial.look_for_crash()
                raise
            seen = f"{adapter.obituary()}; before that, {error.expected}: {error.seen}"
            raise CrashedError(KEEPS_RUNNING, seen) from error
        except RefusedError as error:
            adapter.retired = True
            raise FailureError("the client accepts the request", f"its error: {error}") from error
        except Exception:
            adapter.retired = True
            raise
        finally:
            trial.close()

    result = judge(case, protocol.rulebook, trial, act, lambda line: "")
    result.output = "" if result.verdict in PEACEFUL else adapter.log
    return result


def _check_served(trial: ClientTrial) -> None:
    """Checks that a new client is served. Raises UnservedError without a rule otherwise."""
    trial.step("After: a new client of the implementation is served.")
    try:
        trial.check_served("a new client is served")
    except CrashedError:
        raise
    except FailureError as error:
        raise UnservedError("a new client is served", f"{error.expected}: {error.seen}") from error
