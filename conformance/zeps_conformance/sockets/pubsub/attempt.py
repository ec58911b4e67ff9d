"""One attempt at one case of an implementation."""

from __future__ import annotations

from zeps_conformance.common.case import Case
from zeps_conformance.common.judging import judge
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import (
    KEEPS_RUNNING,
    PEACEFUL,
    CrashedError,
    FailureError,
    UnsupportedError,
)
from zeps_conformance.sockets.adapter import Adapter
from zeps_conformance.sockets.brackets import bracketed
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial
from zeps_conformance.sockets.pubsub.trial import PubSubTrial

__all__ = ["ZmtpProtocol", "run_case"]


LAST_BREATH = 0.2  # seconds within which a crashing process exits


def run_case(
    case: Case, socket_type: str, adapter: Adapter, protocol: ZmtpProtocol, settings: Settings
) -> CaseResult:
    """Runs `case` on a new socket of type `socket_type`, or a proxy for ``PROXY``. A failure retires `adapter`."""
    kind = ProxyTrial if socket_type == "PROXY" else PubSubTrial
    trial = kind(case, socket_type, adapter, protocol, settings)

    def act() -> None:
        try:
            bracketed(trial)
        except UnsupportedError:
            raise
        except FailureError as error:
            adapter.retired = True
            if isinstance(error, CrashedError) or not adapter.ends(LAST_BREATH):
                raise
            seen = f"{adapter.obituary()}; before that, {error.expected}: {error.seen}"
            raise CrashedError(KEEPS_RUNNING, seen) from error
        except Exception:
            adapter.retired = True
            raise
        finally:
            trial.close()

    result = judge(case, protocol.rulebook, trial, act, lambda line: "")
    result.output = "" if result.verdict in PEACEFUL else adapter.log
    return result
