package zeps.wire.zepsclient;


/**
 * The parameters of {@link ClientMachine#grant}.
 *
 * @param octets The octets.
 */
public record GrantCall(long octets) {}
