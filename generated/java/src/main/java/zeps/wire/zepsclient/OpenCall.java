package zeps.wire.zepsclient;


/**
 * The parameters of {@link ClientMachine#open}.
 *
 * @param stream The stream.
 */
public record OpenCall(String stream) {}
