package zeps.wire.zmtpsubscriber;

import zeps.wire.Octets;

/**
 * What {@link ClientMachine#unsubscribeFilter} was called with.
 *
 * @param kind The kind it was given.
 * @param octets The octets it was given.
 */
public record UnsubscribeFilterCall(int kind, Octets octets) {}
