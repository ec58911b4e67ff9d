package zeps.wire.zmtpsubscriber;

import zeps.wire.Octets;

/**
 * What {@link ClientMachine#subscribe} was called with.
 *
 * @param topic The topic it was given.
 */
public record SubscribeCall(Octets topic) {}
