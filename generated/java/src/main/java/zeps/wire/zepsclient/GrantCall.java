package zeps.wire.zepsclient;


/**
 * What {@link ClientMachine#grant} was called with.
 *
 * @param octets The octets it was given.
 */
public record GrantCall(long octets) {}
