package zeps.wire.zepsclient;


/**
 * What {@link ClientMachine#open} was called with.
 *
 * @param stream The stream it was given.
 */
public record OpenCall(String stream) {}
