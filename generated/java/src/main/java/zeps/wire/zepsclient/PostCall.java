package zeps.wire.zepsclient;

import zeps.wire.Octets;

/**
 * The parameters of {@link ClientMachine#post}.
 *
 * @param key The key.
 * @param body The body.
 */
public record PostCall(String key, Octets body) {}
