package zeps.wire.zepsclient;


/**
 * What {@link ClientMachine#follow} was called with.
 *
 * @param pattern The pattern it was given.
 * @param latest The latest it was given.
 */
public record FollowCall(String pattern, long latest) {}
