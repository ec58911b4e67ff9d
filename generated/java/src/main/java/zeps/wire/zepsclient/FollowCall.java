package zeps.wire.zepsclient;


/**
 * The parameters of {@link ClientMachine#follow}.
 *
 * @param pattern The pattern.
 * @param latest The latest.
 */
public record FollowCall(String pattern, long latest) {}
