package zeps.wire.zmtpsubscriber;

import zeps.wire.Octets;

/**
 * The parameters of {@link ClientMachine#unsubscribeFilter}.
 *
 * @param kind The kind.
 * @param octets The octets.
 */
public record UnsubscribeFilterCall(int kind, Octets octets) {}
