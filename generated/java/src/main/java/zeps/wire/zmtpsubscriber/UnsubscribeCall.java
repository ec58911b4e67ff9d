package zeps.wire.zmtpsubscriber;

import zeps.wire.Octets;

/**
 * The parameters of {@link ClientMachine#unsubscribe}.
 *
 * @param topic The topic.
 */
public record UnsubscribeCall(Octets topic) {}
