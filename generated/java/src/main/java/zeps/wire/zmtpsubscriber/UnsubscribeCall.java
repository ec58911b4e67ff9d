package zeps.wire.zmtpsubscriber;

import zeps.wire.Octets;

/**
 * What {@link ClientMachine#unsubscribe} was called with.
 *
 * @param topic The topic it was given.
 */
public record UnsubscribeCall(Octets topic) {}
