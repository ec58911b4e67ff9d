package zeps.wire.zmtpsubscriber;

import zeps.wire.Octets;

/**
 * The parameters of {@link ClientMachine#subscribe}.
 *
 * @param topic The topic.
 */
public record SubscribeCall(Octets topic) {}
