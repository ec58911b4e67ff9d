package zeps.wire.zmtpsubscriber;

import zeps.wire.Octets;

/**
 * The parameters of {@link ClientMachine#subscribeFilter}.
 *
 * @param kind The kind.
 * @param octets The octets.
 */
public record SubscribeFilterCall(int kind, Octets octets) {}
