"""Comparison of two bundles: protocols and machines by name, breaking changes first."""

from __future__ import annotations

from ..ir import Bundle
from .changes import Change, Effect, breaking, compatible
from .machines import compare_machines
from .wire import compare_protocols

__all__ = ["compare"]

PROTOCOL_REMOVED = breaking("protocol-removed", "a protocol is removed")
PROTOCOL_ADDED = compatible("protocol-added", "a protocol is added")
MACHINE_REMOVED = breaking("machine-removed", "a machine is removed")
MACHINE_ADDED = compatible("machine-added", "a machine is added")


def compare(old: Bundle, new: Bundle) -> list[Change]:
    """Changes of wire format and behaviour, breaking ones first. Documentation, grammars and rules are not compared."""
    changes: list[Change] = []
    protocols = {item.name: item for item in new.protocols}
    for protocol in old.protocols:
        if protocol.name in protocols:
            changes += compare_protocols(protocol, protocols[protocol.name])
        else:
            changes.append(PROTOCOL_REMOVED.at(protocol.name, "the protocol is removed"))
    before = {item.name for item in old.protocols}
    changes += [PROTOCOL_ADDED.at(name, "the protocol is added") for name in protocols if name not in before]
    machines = {item.name: item for item in new.machines}
    for machine in old.machines:
        if machine.name in machines:
            other = machines[machine.name]
            spoken = old.protocol(machine.protocol), new.protocol(other.protocol)
            changes += compare_machines(machine, other, *spoken)
        else:
            changes.append(MACHINE_REMOVED.at(machine.name, "the machine is removed"))
    before = {item.name for item in old.machines}
    changes += [MACHINE_ADDED.at(name, "the machine is added") for name in machines if name not in before]
    return sorted(changes, key=lambda change: change.effect is not Effect.BREAK)
