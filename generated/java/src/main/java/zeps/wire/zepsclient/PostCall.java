package zeps.wire.zepsclient;

import zeps.wire.Octets;

/**
 * What {@link ClientMachine#post} was called with.
 *
 * @param key The key it was given.
 * @param body The body it was given.
 */
public record PostCall(String key, Octets body) {}
